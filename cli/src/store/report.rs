//! The report of `store`: sizes, slots and losses, in lines of at most 80 columns.

use std::io::{self, Write};
use std::path::Path;

use owo_colors::OwoColorize as _;
use slotledger::content::Loss;
use slotledger::image::Registry;
use slotledger::slot::{Slot, slots};
use slotledger::{Cap, Ingested};

use super::losses::sentence;
use super::rows::{Found, Row};
use crate::output::{self, COLUMNS, NAME, line};
use crate::words::{argument, count, fit, units};

/// The most slots, and the most losses, that have a line each.
const HANDFUL: usize = 6;

/// What is told of a result taken in.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) ingested: &'a Ingested,
    pub(super) cap: Cap,
    /// Knows the sizes that references claim.
    pub(super) registry: &'a Registry,
    /// The file that records are kept in.
    pub(super) store: Option<&'a Path>,
}

impl Report<'_> {
    /// Prints it to standard error, in colour on a terminal.
    pub(super) fn print(&self) {
        output::aside(|out| self.write(out));
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.ingested.is_error {
            line(out, "error", &"the tool says that it failed".red())?;
        }
        self.write_sizes(out)?;
        self.write_slots(out)?;
        self.write_losses(out)?;
        self.write_record(out)
    }

    fn is_cut(&self) -> bool {
        self.ingested.stored.head_len < self.ingested.stored.total_len
    }

    fn write_sizes(&self, out: &mut dyn Write) -> io::Result<()> {
        let stored = &self.ingested.stored;
        let unit = self.cap.unit();
        let units = units(unit);
        let cap = self
            .cap
            .limit()
            .map_or_else(|| "no cap".to_owned(), |cap| format!("cap {}", count(cap)));
        let blocks = match self.ingested.blocks.as_deref() {
            Some([_]) => " in 1 block".to_owned(),
            Some(blocks) => format!(" in {} blocks", count(blocks.len())),
            None => String::new(),
        };
        line(out, "full", &format!("{} {units}{blocks}", count(stored.total_len)))?;
        if !self.is_cut() {
            return line(out, "stored", &format!("all of it ({cap})"));
        }
        let (len, head) = (count(unit.len_of(&stored.text)), count(stored.head_len));
        let rest =
            if stored.kept.is_empty() { " and a notice" } else { ", a notice and the kept slots" };
        line(out, "stored", &format!("{len}: a head of {head} ({cap}){rest}"))
    }

    fn write_slots(&self, out: &mut dyn Write) -> io::Result<()> {
        let Ingested { text, stored, .. } = self.ingested;
        let head_len = self.cap.unit().offset_in(&stored.text, stored.head_len);
        let found = Found::read(&stored.text, head_len, HANDFUL);
        let sums = match found.count {
            0 => "none".to_owned(),
            sum if self.is_cut() => {
                let (head, kept) = (count(found.in_head), count(stored.kept.len()));
                format!("{}: {head} in the head, {kept} kept from past the cut", count(sum))
            }
            sum => count(sum),
        };
        line(out, "slots", &sums)?;
        self.write_rows(&found, head_len, out)?;
        if stored.left_out > 0 {
            let older = format!("{} older ones past the cut are left out", count(stored.left_out));
            line(out, "", &older.yellow())?;
        }
        let past_cut = slots(text).filter(|slot| slot.span.start >= head_len).count();
        let shown = stored.kept.len() + stored.left_out;
        match past_cut.saturating_sub(shown) {
            0 => Ok(()),
            _ if !self.is_cut() => Ok(()),
            unseen => {
                let unseen = format!("{} past the cut, not shown to the model", count(unseen));
                line(out, "", &unseen.dimmed())
            }
        }
    }

    /// A line for each slot, or for the first and the last ones where there are many.
    fn write_rows(
        &self,
        found: &Found<'_>,
        head_len: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let first = self.rows(&found.first, head_len);
        let last = self.rows(&found.last, head_len);
        let widths = Row::widths(first.iter().chain(&last), COLUMNS - NAME);
        for row in &first {
            line(out, "", &row.padded(widths))?;
        }
        let between = found.count - found.first.len() - found.last.len();
        if between > 0 {
            line(out, "", &format!("… {} more …", count(between)).dimmed())?;
        }
        last.iter().try_for_each(|row| line(out, "", &row.padded(widths)))
    }

    fn rows<'t>(&self, slots: &[Slot<'t>], head_len: usize) -> Vec<Row<'t>> {
        let head_len = self.is_cut().then_some(head_len);
        slots.iter().filter_map(|slot| Row::of(slot, self.registry, head_len)).collect()
    }

    fn write_losses(&self, out: &mut dyn Write) -> io::Result<()> {
        let losses = &self.ingested.losses;
        if losses.is_empty() {
            return line(out, "losses", &"none");
        }
        line(out, "losses", &format!("{} (blocks count from 0)", count(losses.len())))?;
        for loss in losses.iter().take(HANDFUL) {
            line(out, "", &fit(&sentence(loss), COLUMNS - NAME).yellow())?;
        }
        match losses.len().saturating_sub(HANDFUL) {
            0 => Ok(()),
            more => line(out, "", &format!("… {} more; --json has them all", count(more)).dimmed()),
        }
    }

    /// Whether the full text is kept, and how it is read back.
    fn write_record(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(store) = self.store else { return Ok(()) };
        let Some(meta) = &self.ingested.record else {
            let is_lost = |loss: &Loss| matches!(loss, Loss::NotRecorded { .. });
            if self.ingested.losses.iter().any(is_lost) {
                return line(out, "record", &"not kept: see the losses".yellow());
            }
            return line(out, "record", &"none: the text is whole, and has no images");
        };
        // Not the call id, which a later result may share. A command is never cut: it has to run.
        let key = meta.key();
        let Some(path) = argument(store) else {
            return line(out, "record", &format!("kept as {key}; slotledger get reads it"));
        };
        let command = format!("slotledger get {key} --store {path}");
        match "kept; ".len() + command.len() {
            wide if wide > COLUMNS - NAME => {
                line(out, "record", &"kept; it is read with")?;
                writeln!(out, "{command}")
            }
            _ => line(out, "record", &format!("kept; {command}")),
        }
    }
}
