//! Tables of at most 80 columns.

use std::borrow::Cow;
use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use unicode_width::UnicodeWidthStr as _;

use crate::words::{fit, fit_end, pad};

/// The widest a line gets.
pub(crate) const COLUMNS: usize = 80;
/// What stands between columns.
const GAP: &str = "  ";

/// A column: its name, and how it is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) set: Set,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Left,
    /// To the right, as numbers are.
    Right,
    /// To the left, and cut at its start where there is no room, as ids are.
    Id,
}

/// A table of `N` columns.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    pub(crate) columns: [Column; N],
    /// Which columns give way, in this order, and down to which width.
    pub(crate) gives_way: &'static [(usize, usize)],
    pub(crate) rows: Vec<Row<N>>,
}

/// A row, and whether it is one to look at.
#[derive(Debug)]
pub(crate) struct Row<const N: usize> {
    pub(crate) cells: [String; N],
    pub(crate) stands_out: bool,
}

impl<const N: usize> Table<N> {
    /// Writes it, a line each, in colour where `out` shows it.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let widths = self.widths();
        let names = self.columns.map(|column| column.name.to_owned());
        writeln!(out, "{}", self.line(&names, widths).bold())?;
        for row in &self.rows {
            let line = self.line(&row.cells, widths);
            if row.stands_out {
                writeln!(out, "{}", line.yellow())?;
            } else {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }

    fn widths(&self) -> [usize; N] {
        let mut widths = self.columns.map(|column| column.name.width());
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(&row.cells) {
                *width = cell.width().max(*width);
            }
        }
        let gaps = GAP.len() * N.saturating_sub(1);
        for &(at, least) in self.gives_way {
            let excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(COLUMNS);
            if let Some(width) = widths.get_mut(at) {
                *width = width.saturating_sub(excess).max(least.min(*width));
            }
        }
        widths
    }

    fn line(&self, cells: &[String; N], widths: [usize; N]) -> String {
        let cells = cells.iter().zip(self.columns).zip(widths).map(|((cell, column), width)| {
            let cell = match column.set {
                Set::Id => fit_end(cell, width),
                Set::Left | Set::Right => fit(cell, width),
            };
            match column.set {
                Set::Right => Cow::from(" ".repeat(width.saturating_sub(cell.width())) + &cell),
                Set::Left | Set::Id => Cow::from(pad(&cell, width)),
            }
        });
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMN: [Column; 3] = [
        Column { name: "#", set: Set::Right },
        Column { name: "tool", set: Set::Left },
        Column { name: "call", set: Set::Id },
    ];

    fn written(rows: &[[&str; 3]]) -> String {
        let row = |cells: &[&str; 3]| Row { cells: cells.map(str::to_owned), stands_out: false };
        let rows = rows.iter().map(row).collect();
        let table = Table { columns: COLUMN, gives_way: &[(2, 9), (1, 4)], rows };
        let mut out = anstream::StripStream::new(Vec::new());
        assert!(table.write(&mut out).is_ok());
        String::from_utf8_lossy(&out.into_inner()).into_owned()
    }

    #[test]
    fn what_has_room_is_shown_whole() {
        let lines = written(&[["7", "snap", "toolu_1"], ["10", "画", ""]]);
        assert_eq!(lines, " #  tool  call\n 7  snap  toolu_1\n10  画\n");
    }

    #[test]
    fn columns_give_way_in_their_order_and_down_to_their_least() {
        let (tool, call) = ("t".repeat(60), "0123456789".repeat(3));
        let line = |cells: &[&str; 3]| written(&[*cells]).lines().last().unwrap_or("").to_owned();
        assert_eq!(line(&["0", &tool, &call]), format!("0  {tool}  …67890123456789"));
        let tool = "画".repeat(60);
        let narrow = line(&["0", &tool, &call]);
        assert_eq!(narrow, format!("0  {}…   …23456789", "画".repeat(32)));
        assert!(narrow.width() <= COLUMNS);
    }
}
