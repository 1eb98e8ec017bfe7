//! What everything costs.

use std::fmt::Write as _;
use std::fs;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use slotledger::content::wire::{data, mcp, outcome};
use slotledger::content::{Call, Content, Image, Reference, replace_lone_surrogates};
use slotledger::copy::{Keeping, StoredCopy, cut_at, cut_shown, truncate_history};
use slotledger::image::{Payload, RefIds, Registry};
use slotledger::slot::{Grammar, label, slots, stub_at};
use slotledger::text::{Offsets, Span, Spans};
use slotledger::{Cap, MediaType, Unit};

use crate::dialects::grammar;
use crate::support::{in_time, ledger, session};

/// An operation on inputs of any size.
struct Work {
    /// What it is done to.
    name: &'static str,
    /// How many pieces make the larger input: so many that looking at all of them for each of them
    /// would take far longer than one look at each.
    pieces: usize,
    /// The input of so many pieces.
    input: fn(usize) -> String,
    /// Does it, and returns something that can be counted.
    run: fn(&str) -> usize,
    /// How much that is.
    counted: fn(usize) -> usize,
}

/// How many times more pieces the larger input has.
const TIMES: usize = 10;

/// How many times as long the larger input may take: linear work takes 10, quadratic work 100.
const MOST_TIMES: u128 = 30;

/// What a system does not tell from nothing, in microseconds.
const GRAIN: u128 = 10_000;

/// How often a measure that is too high is taken again, since other programs are busy too.
const TRIES: usize = 4;

/// How much more memory it may take: as many times, and a vector that doubled one time more.
const MOST_MEMORY: u64 = 21;

#[test]
fn l29_the_work_and_the_memory_of_every_operation_are_linear_in_its_input() {
    for Work { name, pieces, input, run, counted } in WORKS {
        let measured = in_time(move || {
            let [small, large] = [pieces / TIMES, pieces].map(|pieces| (pieces, input(pieces)));
            let measure = |(pieces, input): &(usize, String)| {
                let mut found = 0;
                let start = spent();
                let info = allocation_counter::measure(|| found = run(input));
                let spent = spent().saturating_sub(start);
                assert_eq!(found, counted(*pieces), "{name}");
                (spent.as_micros(), info.bytes_max)
            };
            let mut measured = Vec::new();
            for _ in 0..TRIES {
                let ((short, little), (long, much)) = (measure(&small), measure(&large));
                assert!(
                    much <= (little + 4_096) * MOST_MEMORY,
                    "{name}: {little} bytes, and {much} of {TIMES} times as many pieces"
                );
                measured.push((short, long));
                if long <= MOST_TIMES * short.max(GRAIN) {
                    return Ok(());
                }
            }
            Err(measured)
        });
        assert_eq!(measured, Ok(()), "{name}: µs, and those of {TIMES} times as many pieces");
    }
}

/// How long this thread has worked, where the system says so; else what time it is.
fn spent() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let schedule = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = schedule.and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

fn repeated(piece: &str, times: usize) -> String {
    piece.repeat(times)
}

/// An array of so many blocks.
fn array(pieces: usize, block: impl Fn(usize) -> String) -> String {
    let mut json = "[".to_owned();
    for index in 0..pieces {
        let comma = if index > 0 { "," } else { "" };
        write!(json, "{comma}{}", block(index)).unwrap();
    }
    json.push(']');
    json
}

/// Takes a result in at a small cap, and counts the blocks.
fn ingest(json: &str) -> usize {
    let result = mcp::read(&json.to_owned().into_bytes().into()).unwrap();
    let mut session = session();
    let ingested = session.ingest_at(&Call::new("c1", "snap"), &result, Cap::utf16(100));
    ingested.blocks.map_or(0, |blocks| blocks.len())
}

/// Cuts in the middle and at the end, and keeps what is shown in one range, and in very many.
fn cut(text: &str, grammar: &Grammar) -> usize {
    let mut many = Spans::default();
    let (mut start, mut turn) = (0, 0);
    while start < text.len() {
        let end = text.ceil_char_boundary(start + 9);
        many.push(Span::new(start, end));
        // Ranges that touch, that are a joiner apart, and that are farther apart.
        turn += 1;
        start = text.ceil_char_boundary(end + [0, 1, 2, 9][turn % 4]);
    }
    let mut one = Spans::default();
    one.push(Span::new(0, text.len()));
    let mut cuts = 0;
    for limit in [text.len() / 2, text.len() - 1] {
        let cap = Cap::bytes(limit);
        cuts += usize::from(cut_at(text, cap, grammar).is_some());
        for shown in [&one, &many] {
            cuts += usize::from(cut_shown(text, cap, shown, grammar).is_some());
        }
    }
    let shown = StoredCopy::of(&text.into(), Cap::bytes(100), &one, grammar, Keeping::NoStore);
    let history = truncate_history(text, Cap::bytes(100), grammar);
    cuts + usize::from(shown.head_len <= 100) + usize::from(history.len() <= 300)
}

fn cut_plainly(text: &str) -> usize {
    cut(text, &Grammar::default())
}

fn cut_with_dialects(text: &str) -> usize {
    static GRAMMAR: LazyLock<Grammar> =
        LazyLock::new(|| grammar([r"\[Image #[0-9]{1,9}\]", r"q[a-z]{1,20}!", r"\]"]));
    cut(text, &GRAMMAR)
}

fn all_cut(_: usize) -> usize {
    8
}

fn enter(count: usize, registry: &mut Registry) {
    for index in 0..count {
        let reference = Reference::new(format!("mcp://{index}")).unwrap();
        registry.register(&reference, &Call::new("c", "list"));
    }
}

fn scan(text: &str) -> usize {
    slots(text).count()
}

fn scan_with_dialects(text: &str) -> usize {
    static GRAMMAR: LazyLock<Grammar> =
        LazyLock::new(|| grammar([r"\[Image #[0-9]{1,9}\]", r"\[ref_", r"image/png"]));
    GRAMMAR.slots(text).count()
}

const WORKS: [Work; 36] = [
    Work {
        name: "stubs that are begun on one line, found",
        pieces: 200_000,
        input: |n| repeated("[ref_", n),
        run: scan,
        counted: |_| 0,
    },
    Work {
        name: "stubs behind carriage returns on one line, found",
        pieces: 150_000,
        input: |n| repeated("\r[ref_1_a] x", n),
        run: scan,
        counted: |_| 0,
    },
    Work {
        name: "stubs behind carriage returns, whose ids do not end, found",
        pieces: 150_000,
        input: |n| repeated("\r[ref_1_aaaaaa", n),
        run: scan,
        counted: |_| 0,
    },
    Work {
        name: "one id of megabytes, found",
        pieces: 3_000_000,
        input: |n| format!("[ref_1_{}] image/png", "a".repeat(n)),
        run: scan,
        counted: |_| 0,
    },
    Work {
        name: "placeholders that are begun, found",
        pieces: 200_000,
        input: |n| repeated("[image: ", n),
        run: scan,
        counted: |_| 0,
    },
    Work {
        name: "placeholders that fail at their last character, found",
        pieces: 10_000,
        input: |n| {
            let name = "9".repeat(127);
            repeated(&format!("[image: {name}/{name}, ~9999999999999999KB, ref img_9_9 "), n)
        },
        run: scan,
        counted: |_| 0,
    },
    Work {
        name: "placeholders on one line, found",
        pieces: 100_000,
        input: |n| repeated("[image: image/png, 1B]", n),
        run: scan,
        counted: |n| n,
    },
    Work {
        name: "stubs on lines of their own, found",
        pieces: 100_000,
        input: |n| repeated("[ref_1_a] image/png\n", n),
        run: scan,
        counted: |n| n,
    },
    Work {
        name: "dialect slots beside begun placeholders, found",
        pieces: 5_000,
        input: |n| repeated("[image: [image: image/png[Image #1]", n),
        run: scan_with_dialects,
        counted: |n| 2 * n,
    },
    Work {
        name: "stubs that are begun on one line, cut",
        pieces: 60_000,
        input: |n| repeated("[ref_", n),
        run: cut_plainly,
        counted: all_cut,
    },
    Work {
        name: "stubs behind carriage returns on one line, cut",
        pieces: 60_000,
        input: |n| repeated("\r[ref_1_a] ", n),
        run: cut_plainly,
        counted: all_cut,
    },
    Work {
        name: "stubs behind carriage returns, whose ids do not end, cut",
        pieces: 60_000,
        input: |n| repeated("\r[ref_1_a", n),
        run: cut_plainly,
        counted: all_cut,
    },
    Work {
        name: "placeholders that are begun, cut",
        pieces: 80_000,
        input: |n| repeated("[image: ", n),
        run: cut_plainly,
        counted: all_cut,
    },
    Work {
        name: "placeholders on one line, cut",
        pieces: 50_000,
        input: |n| repeated("[image: image/png, 1B]", n),
        run: cut_plainly,
        counted: all_cut,
    },
    Work {
        name: "wide characters on one line, cut",
        pieces: 100_000,
        input: |n| repeated("é漢😀[\u{2028}", n),
        run: cut_plainly,
        counted: all_cut,
    },
    Work {
        name: "one line of dialect slots, cut",
        pieces: 2_000,
        input: |n| repeated("[Image #1] qa! qabc [image: ", n),
        run: cut_with_dialects,
        counted: all_cut,
    },
    Work {
        name: "one line without a dialect slot, cut",
        pieces: 20_000,
        input: |n| repeated("[Image #", n),
        run: cut_with_dialects,
        counted: all_cut,
    },
    Work {
        name: "segments without a dialect slot, cut",
        pieces: 20_000,
        input: |n| repeated("[Image #\r", n),
        run: cut_with_dialects,
        counted: all_cut,
    },
    Work {
        name: "offsets in another unit, asked in order",
        pieces: 300_000,
        input: |n| repeated("a😀é", n),
        run: |text| {
            let mut offsets = Offsets::new(text, Unit::Utf16);
            let ats = text.char_indices().map(|(at, _)| offsets.at(at));
            ats.max().unwrap_or_default()
        },
        counted: |n| 4 * n - 1,
    },
    Work {
        name: "images in one result, taken in",
        pieces: 20_000,
        input: |n| {
            array(n, |index| {
                format!(r#"{{"type":"image","data":"{index:08}","mimeType":"image/png"}}"#)
            })
        },
        run: ingest,
        counted: |n| n,
    },
    Work {
        name: "texts in one result, taken in",
        pieces: 50_000,
        input: |n| {
            let text = "a line of words, and some more. ".repeat(4);
            array(n, |_| format!(r#"{{"type":"text","text":"{text}"}}"#))
        },
        run: ingest,
        counted: |n| n,
    },
    Work {
        name: "references in one result, taken in",
        pieces: 20_000,
        input: |n| {
            array(n, |index| {
                format!(r#"{{"type":"resource_link","uri":"u{index}","name":"image/png"}}"#)
            })
        },
        run: ingest,
        counted: |n| n,
    },
    Work {
        name: "texts beside an image, each of them cut",
        pieces: 10_000,
        input: |n| {
            let text = "[ref_1_a] image/png ".repeat(10);
            array(n, |index| match index {
                0 => r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#.to_owned(),
                _ => format!(r#"{{"type":"text","text":"{text}"}}"#),
            })
        },
        run: ingest,
        counted: |n| n,
    },
    Work {
        name: "texts that are JSON beside structured content",
        pieces: 20_000,
        input: |n| {
            let texts =
                array(n, |_| r#"{"type":"text","text":"[[1,2,3],{\"a\":1.0}]"}"#.to_owned());
            let structured = array(n, |_| r#"[1,2,3],{"a":1.0}"#.to_owned());
            format!(r#"{{"content":{texts},"structuredContent":{structured}}}"#)
        },
        run: ingest,
        counted: |n| n + 1,
    },
    Work {
        name: "structured content of many keys, of which the last is not said",
        pieces: 30_000,
        input: |n| {
            let object = |last: usize| {
                let members = array(n, |index| format!(r#""k{}":{index}"#, index / 2));
                let members = members.trim_matches(['[', ']']).to_owned();
                format!(r#"{{{members},"last":{last}}}"#)
            };
            let text = slotledger_kit::Json::from(object(1));
            let structured = object(2);
            format!(
                r#"{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{structured}}}"#
            )
        },
        run: ingest,
        counted: |_| 2,
    },
    Work {
        name: "an array that gave up",
        pieces: 60_000,
        input: |n| array(n, |_| r#"{ "a" : "\u0041\n" }"#.to_owned()),
        run: |json| {
            let result = mcp::read(&format!(r#"{{"content":{json}}}"#).into_bytes().into());
            let Content::GivenUp { text, .. } = result.unwrap().content else { panic!("it did") };
            text.matches("A\\n").count()
        },
        counted: |n| n,
    },
    Work {
        name: "lone surrogates and numbers out of range",
        pieces: 50_000,
        input: |n| array(n, |_| r#""\ud83d\ud83d\ude00\\",1e999"#.to_owned()),
        run: |json| {
            let json = format!(r#"{{"a":{json}}}"#);
            let count = replace_lone_surrogates(&json).unwrap().1;
            let result = data::read(&json.into_bytes().into()).unwrap();
            assert_eq!(result.losses.len(), 1);
            count
        },
        counted: |n| n,
    },
    Work {
        name: "an outcome in an outcome's data",
        pieces: 100_000,
        input: |n| format!(r#"{{"data":{}1{}}}"#, "{\"data\":".repeat(n), "}".repeat(n)),
        run: |json| {
            let result = outcome::read(&json.to_owned().into_bytes().into()).unwrap();
            let Content::Text(text) = result.content else { panic!("a value") };
            text.matches("data").count()
        },
        counted: |n| n,
    },
    Work {
        name: "images retained",
        pieces: 30_000,
        input: |n| n.to_string(),
        run: |n| {
            let mut ledger = ledger(64, 1 << 20);
            for index in 0..n.parse().unwrap() {
                let image = Image::new(format!("{index:08}"), "image/png");
                ledger.retain(&Call::new(format!("c{}", index / 3), "snap"), index % 3, &image);
            }
            ledger.len()
        },
        counted: |_| 64,
    },
    Work {
        name: "images retained that never fit, under one key",
        pieces: 30_000,
        input: |n| n.to_string(),
        run: |n| {
            let mut ledger = ledger(1_000_000, 4);
            for index in 0..n.parse().unwrap() {
                let image = Image::new(format!("{index:08}"), "image/png");
                ledger.retain(&Call::new("c", "snap"), 0, &image);
            }
            ledger.len()
        },
        counted: |_| 0,
    },
    Work {
        name: "references entered and dropped",
        pieces: 30_000,
        input: |n| n.to_string(),
        run: |n| {
            let mut registry = Registry::new(RefIds::process());
            enter(n.parse().unwrap(), &mut registry);
            registry.len()
        },
        counted: |_| 2_000,
    },
    Work {
        name: "references entered, and none dropped",
        pieces: 30_000,
        input: |n| n.to_string(),
        run: |n| {
            let mut registry = Registry::with_max(RefIds::process(), usize::MAX);
            enter(n.parse().unwrap(), &mut registry);
            registry.len()
        },
        counted: |n| n,
    },
    Work {
        name: "a payload measured and decoded",
        pieces: 1_000_000,
        input: |n| repeated("QUF\n", n),
        run: |text| {
            let payload = Payload::new(text);
            assert_eq!(payload.decoded_len(), payload.decode().map(|bytes| bytes.len()));
            payload.decoded_len().unwrap()
        },
        // Three digits each.
        counted: |n| n * 3 / 4 * 3 + [0, 0, 1, 2][n * 3 % 4],
    },
    Work {
        name: "a claim and a name of megabytes",
        pieces: 300_000,
        input: |n| repeated(" \u{202e}\u{212a}", n),
        run: |text| {
            let media_type = MediaType::from_testimony(text);
            assert_eq!(media_type.as_str(), MediaType::UNKNOWN);
            label(text, 120).chars().count()
        },
        counted: |_| 120,
    },
    Work {
        name: "a stub of megabytes, read by itself",
        pieces: 500_000,
        input: |n| format!("[ref_1_a] {}", "image/".repeat(n)),
        run: |text| usize::from(stub_at(text, 0).unwrap().image_type().is_some()),
        counted: |_| 0,
    },
    Work {
        name: "a text of one block, stored",
        pieces: 100_000,
        input: |n| format!(r#"[{{"type":"text","text":"{}"}}]"#, "a log line\\n".repeat(n)),
        run: ingest,
        counted: |_| 1,
    },
];
