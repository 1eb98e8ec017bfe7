//! Archives: images that outlive the process (SPEC 7.11).

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use slotledger::ImageRef;
use slotledger::content::{Call, Image};
use slotledger::image::{Archive, Ledger, Limits, Lookup, Nonce, Payload, hex};

/// A folder of a test's own, removed with it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let place = std::env::temp_dir().join(format!("slotledger-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        fs::create_dir(&place).unwrap();
        Self(place)
    }

    fn ledger(&self, nonce: &str, max_images: usize) -> Ledger {
        let limits = Limits { max_images, ..Limits::default() };
        Ledger::restored(nonce.parse().unwrap(), limits, Archive::open(&self.0).unwrap())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn retain(ledger: &mut Ledger, call: &str, payload: &str) -> ImageRef {
    ledger.retain(&Call::new(call, "snap"), 0, &Image::new(payload, "image/png"))
}

fn payload_of(ledger: &Ledger, image: ImageRef) -> Option<Payload> {
    match ledger.lookup(image) {
        Lookup::Retained(held) => Some(held.payload.clone()),
        Lookup::Evicted(_) | Lookup::Unknown => None,
    }
}

#[test]
fn a_ref_of_an_earlier_process_gives_its_own_bytes_and_an_unknown_nonce_is_unknown() {
    let place = Place::new("archive-refs");
    let mut ledger = place.ledger("aaaaaa", 64);
    let image = retain(&mut ledger, "c1", "AAAA");
    drop(ledger);
    let mut ledger = place.ledger("bbbbbb", 64);
    assert_eq!(payload_of(&ledger, image), Some(Payload::new("AAAA")));
    assert_eq!(retain(&mut ledger, "c1", "AAAA"), image, "the same image keeps its old ref");
    let other = retain(&mut ledger, "c1", "BBBB");
    assert_eq!(other.as_str(), "img_bbbbbb_1");
    assert!(matches!(ledger.lookup("img_cccccc_1".parse().unwrap()), Lookup::Unknown));
}

#[test]
fn a_nonce_that_an_earlier_process_had_is_replaced() {
    let place = Place::new("archive-nonce");
    let first = retain(&mut place.ledger("aaaaaa", 64), "c1", "AAAA");
    let mut ledger = place.ledger("aaaaaa", 64);
    let second = retain(&mut ledger, "c2", "BBBB");
    assert_ne!(first.nonce(), second.nonce());
    assert_eq!(payload_of(&ledger, first), Some(Payload::new("AAAA")));
}

#[test]
fn what_is_older_goes_first_and_takes_its_file_along() {
    let place = Place::new("archive-limits");
    let mut ledger = place.ledger("aaaaaa", 2);
    let images = ["AAAA", "BBBB"].map(|payload| retain(&mut ledger, payload, payload));
    drop(ledger);
    let mut ledger = place.ledger("bbbbbb", 2);
    retain(&mut ledger, "c3", "CCCC");
    assert!(matches!(ledger.lookup(images[0]), Lookup::Evicted(_)));
    assert!(matches!(ledger.lookup(images[1]), Lookup::Retained(_)));
    let file = |payload: &[u8]| place.0.join(hex(&Payload::digest(payload)) + ".base64");
    assert!(!file(b"AAAA").exists() && file(b"BBBB").exists() && file(b"CCCC").exists());
}

#[test]
fn bytes_that_are_not_what_was_kept_are_not_given_out() {
    let place = Place::new("archive-damage");
    let image = retain(&mut place.ledger("aaaaaa", 64), "c1", "AAAA");
    fs::write(place.0.join(hex(&Payload::digest(b"AAAA")) + ".base64"), "ABAA").unwrap();
    assert!(matches!(place.ledger("bbbbbb", 64).lookup(image), Lookup::Evicted(_)));
}

#[test]
fn a_torn_last_line_is_passed_over() {
    let place = Place::new("archive-torn");
    let image = retain(&mut place.ledger("aaaaaa", 64), "c1", "AAAA");
    let index = place.0.join("index.jsonl");
    let text = fs::read_to_string(&index).unwrap();
    fs::write(&index, format!("{text}{{\"ref\":\"img_aaaaaa_2\",\"call")).unwrap();
    let mut ledger = place.ledger("bbbbbb", 64);
    retain(&mut ledger, "c2", "BBBB");
    drop(ledger);
    assert_eq!(place.ledger("cccccc", 64).len(), 2);
    assert!(payload_of(&place.ledger("dddddd", 64), image).is_some());
}

#[test]
fn a_folder_of_others_is_refused_and_left_as_it_is() {
    let place = Place::new("archive-foreign");
    fs::write(place.0.join("index.jsonl"), "{\"a\":1}\n").unwrap();
    fs::write(place.0.join(".draft.tmp"), "mine").unwrap();
    assert_eq!(Archive::open(&place.0).unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(fs::read_to_string(place.0.join("index.jsonl")).unwrap(), "{\"a\":1}\n");
    fs::remove_file(place.0.join("index.jsonl")).unwrap();
    drop(place.ledger("aaaaaa", 64));
    assert!(place.0.join(".draft.tmp").exists(), "no draft of ours");
}

#[test]
fn one_at_a_time_has_an_archive_open() {
    let place = Place::new("archive-lock");
    let ledger = place.ledger("aaaaaa", 64);
    assert_eq!(Archive::open(&place.0).unwrap_err().kind(), ErrorKind::WouldBlock);
    drop(ledger);
    assert!(Archive::open(&place.0).is_ok());
}

#[test]
fn the_index_is_bounded_while_a_process_runs() {
    let place = Place::new("archive-index");
    let mut ledger = place.ledger("aaaaaa", 1);
    for at in 0..1_500 {
        retain(&mut ledger, &format!("c{at}"), "AAAA");
    }
    let lines = fs::read_to_string(place.0.join("index.jsonl")).unwrap().lines().count();
    assert!(lines <= 1 + 4 * 256, "{lines}");
    assert_eq!(Nonce::random().as_str().len(), 6);
}

#[cfg(unix)]
#[test]
fn its_files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Place::new("archive-modes");
    let inner = place.0.join("inner");
    let limits = Limits::default();
    let mut ledger = Ledger::restored(Nonce::random(), limits, Archive::open(&inner).unwrap());
    retain(&mut ledger, "c1", "AAAA");
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&inner), 0o700);
    for entry in fs::read_dir(&inner).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}
