//! A store and what is done to it.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::draw::Draw;
use crate::oracle::Kind;
use crate::oracle::records::{Given, Limits, Name, Op, Places, SlotPlace, View, sha256};

/// A store's limits, and what is done to it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RecordsCase {
    /// The limits it is opened with.
    pub limits: Limits,
    /// What is done, in order, and whether by another handle of the same store.
    pub ops: Vec<(Op, bool)>,
}

const MOST_OPS: usize = 30;
const HOUR: u64 = 3600 * 1000;
/// When a case begins: later than any clock says, in milliseconds since 1970.
const BEGIN: u64 = 4_000_000_000_000;

/// Names that collide once normalized, look like keys or paths, or end a string early.
const NAMES: [&str; 18] = [
    "c1",
    "C1",
    "toolu@abc#1",
    "toolu_abc_1",
    "",
    "../x",
    "..",
    "a\0b",
    "a",
    "0123",
    "123",
    "2cf24dba5fb0a30e",
    "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    "😀",
    "__",
    "é'\"\\;--",
    "index.jsonl",
    "\u{202e}\n",
];

impl<'a> Arbitrary<'a> for RecordsCase {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut draw = Draw::new(bytes);
        let limits = Limits {
            quota: [1_000, 20_000, 100, 40, 60_000, 0][draw.number(0..=5)],
            max_record: [100_000, 700, 16_384, 5][draw.number(0..=3)],
            max_age: max_age(&mut draw),
            max_gone: draw.number(0..=5),
        };
        let names = [(); 4].map(|()| name(&mut draw));
        let texts = [(); 4].map(|()| text(&mut draw));
        let mut case = Drawn { draw, clock: BEGIN, names, texts };
        let mut ops = Vec::new();
        while ops.len() < MOST_OPS && !case.draw.is_spent() {
            ops.push((case.op(), case.draw.one_in(4)));
        }
        Ok(Self { limits, ops })
    }
}

fn max_age(draw: &mut Draw<'_, '_>) -> Option<u64> {
    [None, Some(48 * HOUR), Some(0), Some(HOUR), Some(u64::MAX)][draw.number(0..=4)]
}

fn name(draw: &mut Draw<'_, '_>) -> String {
    match draw.number(0..=7) {
        0..=3 => draw.pick(&["s1", "c1", "toolu@abc#1", "toolu_abc_1"]).to_owned(),
        4..=6 => draw.pick(&NAMES).to_owned(),
        // The longer ones are the same once normalized.
        _ => {
            let long = draw.pick(&["x", "X"]).repeat([63, 64, 299][draw.number(0..=2)]);
            format!("{long}{}", draw.number(0..=2))
        }
    }
}

fn text(draw: &mut Draw<'_, '_>) -> String {
    match draw.number(0..=7) {
        0..=3 => draw
            .pick(&["hello", "hello again", "", "{\"a\":1}", "a\r\nb\n", "\u{1b}[31m", "x\0😀\r"])
            .to_owned(),
        4 | 5 => draw.pick(&["x", "é", "a😀é\n"]).repeat(draw.number(1..=200)),
        // As long as one piece of a store or some, and a little more or less.
        6 => "y".repeat(8_192 * draw.number(1..=2) - 1 + draw.number(0..=2)),
        _ => "x😀".repeat(1_636 + draw.number(0..=4)),
    }
}

fn id(draw: &mut Draw<'_, '_>) -> u64 {
    [1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 0, u64::MAX][draw.number(0..=11)]
}

struct Drawn<'a, 'b> {
    draw: Draw<'a, 'b>,
    /// The time it is.
    clock: u64,
    /// The names of sessions, calls and tools: few, so that much is of the same name.
    names: [String; 4],
    texts: [String; 4],
}

impl Drawn<'_, '_> {
    fn op(&mut self) -> Op {
        match self.draw.number(0..=31) {
            0..=11 => {
                let given = self.given();
                Op::Put(given, self.time())
            }
            12 => Op::Find(self.sessions(), Name::CallId(self.name())),
            13 => Op::Find(self.sessions(), Name::Normalized(self.name())),
            14 => Op::Find(self.sessions(), Name::Key(self.digest())),
            15 => Op::Find(self.sessions(), Name::Sha256(self.digest())),
            16 | 17 => Op::List {
                session: self.sessions(),
                tool: self.draw.one_in(2).then(|| self.name()),
                before: self.draw.one_in(2).then(|| id(&mut self.draw)),
                limit: [100, 1, 0, 2, 5, usize::MAX][self.draw.number(0..=5)],
            },
            18 | 19 => {
                let draw = &mut self.draw;
                let (start, len) = (draw.number(0..=900) * 20, draw.number(0..=900) * 20);
                Op::Page { id: id(draw), start, len: len + draw.number(0..=2) }
            }
            20 => Op::Places(id(&mut self.draw)),
            21 | 22 => Op::Remove(id(&mut self.draw)),
            23 => Op::RemoveSession(self.name()),
            24 | 25 => {
                let until = if self.draw.one_in(4) { 0 } else { self.time() + 200 * HOUR };
                Op::KeepAlive(self.name(), until)
            }
            26 | 27 => {
                let limits = Limits {
                    quota: self.draw.number(0..=60) as u64
                        * [1, 1, 30, 500][self.draw.number(0..=3)],
                    max_record: 0,
                    max_age: max_age(&mut self.draw),
                    max_gone: self.draw.number(0..=5),
                };
                Op::Sweep(limits, self.time())
            }
            28 | 29 => Op::NoteView(View {
                session: self.name(),
                call_id: self.name(),
                sha256: self.digest(),
                record: id(&mut self.draw),
                kind: self.draw.pick(&["page", "stored", ""]).to_owned(),
                range: self.draw.one_in(2).then(|| (self.draw.number(0..=9), 70_000)),
            }),
            30 => match self.draw.number(0..=2) {
                0 => Op::Usage,
                1 => Op::Check,
                _ => Op::View(self.name(), self.name(), self.digest()),
            },
            _ => Op::Reopen,
        }
    }

    fn name(&mut self) -> String {
        self.names[[0, 0, 0, 1, 2, 3][self.draw.number(0..=5)]].clone()
    }

    fn text(&mut self) -> String {
        self.texts[[0, 0, 1, 1, 2, 3][self.draw.number(0..=5)]].clone()
    }

    fn sessions(&mut self) -> Option<String> {
        (!self.draw.one_in(3)).then(|| self.name())
    }

    fn digest(&mut self) -> [u8; 32] {
        let mut digest = sha256(&self.text());
        if self.draw.one_in(4) {
            // The same key, and another text.
            digest[31] ^= 1;
        }
        digest
    }

    /// A time: mostly a while after the last, sometimes that of a clock that is not set.
    fn time(&mut self) -> u64 {
        match self.draw.number(0..=15) {
            0..=5 => {}
            6..=11 => self.clock += self.draw.number(1..=70) as u64 * HOUR,
            12 => self.clock += self.draw.number(0..=2) as u64,
            13 => return self.clock - self.draw.number(0..=300) as u64 * HOUR,
            14 => return self.draw.number(0..=2) as u64,
            _ => return u64::MAX / 2 - self.draw.number(0..=2) as u64,
        }
        self.clock
    }

    fn given(&mut self) -> Given {
        let (session, call_id, tool) = (self.name(), self.name(), self.name());
        let text = self.text();
        let draw = &mut self.draw;
        let (is_error, complete) = (draw.one_in(4), !draw.one_in(4));
        let unit = draw.unit();
        let places =
            if draw.one_in(4) { places(draw, &self.names, text.len()) } else { Places::default() };
        Given { session, call_id, tool, is_error, complete, unit, text, places }
    }
}

fn places(draw: &mut Draw<'_, '_>, names: &[String], len: usize) -> Places {
    let place = |draw: &mut Draw<'_, '_>| {
        let start = draw.number(0..=len);
        (start, draw.number(start..=len))
    };
    let kind = [Kind::Text, Kind::Image, Kind::Reference][draw.number(0..=2)];
    let (start, end) = place(draw);
    let shown = (0..draw.number(0..=2)).map(|_| place(draw)).collect();
    let slots = (0..draw.number(0..=12)).map(|n| SlotPlace {
        place: place(draw),
        shown: n % 2 == 0,
        reference: draw.one_in(2).then(|| names[n % names.len()].clone()),
        media_type: "image/png".to_owned(),
    });
    Places { slots: slots.collect(), blocks: vec![(kind, start, end)], shown }
}
