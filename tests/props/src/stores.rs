//! What is done to a store, on every store and on a plain list of records.

mod words;

use std::collections::BTreeSet;
use std::fs;
use std::time::SystemTime;

use slotledger::image::hex;
use slotledger::record::content_type;
use slotledger::record::store::{Retention, Store};
use slotledger_kit::generate::{RecordsCase, from_bytes};
use slotledger_kit::oracle::records::{Answer, Model, Name, Op, View, sha256};

use crate::home::{Home, KINDS, Kind};
use words::{Said, answer, millis, retention};

/// Every store answers whatever is done to it as the plain list does, also after a refusal, by another
/// handle, and when it is opened anew (L17); and it leaves no files that it does not need.
pub fn stores(bytes: &[u8]) {
    let case: RecordsCase = from_bytes(bytes);
    let mut model = Model::new(case.limits.clone());
    let limits = retention(&case.limits);
    let mut subjects: Vec<Subject> = KINDS.iter().map(|kind| Subject::new(*kind, limits)).collect();
    let mut has_another = false;
    for (op, by_another) in &case.ops {
        if *by_another && !has_another {
            has_another = true;
            ask(&mut subjects, &mut model, &Op::Reopen, true);
        }
        ask(&mut subjects, &mut model, op, *by_another);
    }
    all(&mut subjects, &mut model, has_another);
    ask(&mut subjects, &mut model, &Op::Reopen, false);
    all(&mut subjects, &mut model, false);
    for (op, _) in case.ops {
        if let Op::NoteView(View { session, call_id, sha256, .. }) = op {
            ask(&mut subjects, &mut model, &Op::View(session, call_id, sha256), has_another);
        }
    }
    for subject in &subjects {
        subject.holds_files_of(&model);
    }
}

/// One store.
struct Subject {
    home: Home,
    retention: Retention,
    store: Box<dyn Store>,
    /// Another handle of the same store, once it was asked for.
    another: Option<Box<dyn Store>>,
}

impl Subject {
    fn new(kind: Kind, retention: Retention) -> Self {
        let home = Home::fast(kind);
        let store = home.open_with(retention);
        Self { home, retention, store, another: None }
    }

    fn handle(&self, by_another: bool) -> &dyn Store {
        let another = self.another.as_ref().filter(|_| by_another);
        &**another.unwrap_or(&self.store)
    }

    fn answer(&mut self, op: &Op, by_another: bool) -> Said {
        if *op != Op::Reopen {
            return answer(self.handle(by_another), op);
        }
        if self.home.kind == Kind::Memory {
            // Opening sweeps.
            self.store.sweep(&self.retention, SystemTime::now()).expect("swept");
        } else if by_another {
            self.another = Some(self.home.open_with(self.retention));
        } else {
            self.store = self.home.open_with(self.retention);
        }
        Said { answer: Answer::Done, content_types: Vec::new() }
    }

    /// A folder has a file for each text that is kept, its index and its lock, and nothing else.
    fn holds_files_of(&self, model: &Model) {
        if self.home.kind != Kind::Dir {
            return;
        }
        let entries = fs::read_dir(self.home.path()).expect("a folder");
        let found: BTreeSet<String> = entries
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .collect();
        let texts = model.texts().into_iter().map(|text| hex(&sha256(text)) + ".text");
        let expected: BTreeSet<String> =
            texts.chain(["index.jsonl".to_owned(), "lock".to_owned()]).collect();
        assert_eq!(found, expected);
    }
}

/// Asks the model and every store.
fn ask(subjects: &mut [Subject], model: &mut Model, op: &Op, by_another: bool) -> Answer {
    let expected = model.answer(op, millis(SystemTime::now()));
    let mut content_types = None;
    for subject in subjects {
        let said = subject.answer(op, by_another);
        assert_eq!(said.answer, expected, "{op:?} of {:?}", subject.home.kind);
        // Of what kind a text is, the model does not know.
        if let (Op::Put(given, _), [found]) = (op, &*said.content_types) {
            assert_eq!(found, content_type(&given.text));
        }
        assert_eq!(*content_types.get_or_insert(said.content_types.clone()), said.content_types);
    }
    expected
}

/// Asks for everything there is.
fn all(subjects: &mut [Subject], model: &mut Model, by_another: bool) {
    let mut one = |op: Op| ask(subjects, model, &op, by_another);
    one(Op::Usage);
    let everything = Op::List { session: None, tool: None, before: None, limit: usize::MAX };
    let Answer::Listed(listed) = one(everything) else { panic!("a list is answered by a list") };
    let last_id = listed.iter().map(|(row, _)| row.id).max().unwrap_or(0);
    for id in 0..=last_id + 1 {
        one(Op::Page { id, start: 0, len: 100_000 });
        one(Op::Places(id));
    }
    for (row, _) in listed {
        let session = Some(row.session);
        let limit = usize::MAX;
        one(Op::List { session: session.clone(), tool: Some(row.tool), before: None, limit });
        one(Op::Find(session.clone(), Name::Key(row.sha256)));
        one(Op::Find(session, Name::CallId(row.call_id.clone())));
        one(Op::Find(None, Name::Normalized(row.call_id)));
    }
    one(Op::Check);
}
