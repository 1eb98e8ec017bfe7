//! What a conversation holds that can show an image, and the batch of calls still open.

use std::collections::{BTreeMap, HashMap, VecDeque};

use bytestring::ByteString;

use crate::content::{Attachment, Call, Content, Message, Part};
use crate::copy::serialize;
use crate::image::{Ledger, Registry};
use crate::record::{ShownSlots, is_read_back};

/// The messages of one conversation, as far as images go, and the open batch.
///
/// A *batch* is the calls of one assistant message: they complete in any order, and their results
/// join the history together. The order that counts is that of completion, before and after.
#[derive(Debug)]
pub struct Conversation {
    messages: Vec<Vec<StoredPart>>,
    /// How many messages are ever looked at, from the newest; older ones keep their place only.
    reach: usize,
    /// The tool of each call met in a message, by its latest use.
    tools: HashMap<ByteString, ByteString>,
    /// The calls without a result, by the order in which they were opened, and where each id is.
    pending: BTreeMap<u64, Call>,
    pending_ids: HashMap<ByteString, VecDeque<u64>>,
    opened: u64,
    completed: Vec<StoredResult>,
}

/// A part of a message that can show an image.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoredPart {
    /// An image attached to the message.
    Attachment(Attachment),
    /// A result, as it is stored.
    Result(StoredResult),
}

/// A result as the history stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredResult {
    /// The call it answers.
    pub call: Call,
    /// The stored text, whose slots count where there is no record.
    pub text: ByteString,
    /// The slots that the record of the result says were shown, also those left out of the text.
    pub shown: Option<ShownSlots>,
}

impl Conversation {
    /// An empty conversation, of which at most `reach` messages are looked at.
    pub(crate) fn new(reach: usize) -> Self {
        Self {
            messages: Vec::new(),
            reach,
            tools: HashMap::new(),
            pending: BTreeMap::new(),
            pending_ids: HashMap::new(),
            opened: 0,
            completed: Vec::new(),
        }
    }

    /// Adds a message, and lets go of what no inventory reaches any more.
    fn append(&mut self, parts: Vec<StoredPart>) {
        self.messages.push(parts);
        let out_of_reach = self.messages.len().checked_sub(self.reach.saturating_add(1));
        if let Some(parts) = out_of_reach.and_then(|at| self.messages.get_mut(at)) {
            *parts = Vec::new();
        }
    }

    /// Adds a message, and returns its place, from 0.
    ///
    /// A result that holds blocks is written as text, whole, and its images are retained: the
    /// model saw all of it. A result that is a text counts as it stands, or by what `recorded` knows
    /// of it.
    pub(crate) fn push(
        &mut self,
        message: &Message,
        ledger: &mut Ledger,
        registry: &mut Registry,
        recorded: impl Fn(&Call, &str) -> Option<ShownSlots>,
    ) -> usize {
        let mut parts = Vec::new();
        for part in &message.parts {
            match part {
                Part::Attachment(attachment) => {
                    parts.push(StoredPart::Attachment(attachment.clone()));
                }
                Part::Call { id, tool } => {
                    self.tools.insert(id.clone(), tool.clone());
                }
                Part::Result { call_id, tool, content } => {
                    let tool = tool.as_ref().or_else(|| self.tools.get(call_id));
                    let call = Call::new(call_id.clone(), tool.cloned().unwrap_or_default());
                    let (text, shown, shows_image) = match content {
                        Content::Text(text) => (text.clone(), recorded(&call, text), false),
                        Content::Blocks(_) | Content::GivenUp { .. } => {
                            let full = serialize(content, &call, ledger, registry);
                            let shows_image = full.shows_image();
                            (full.text, None, shows_image)
                        }
                    };
                    // It quotes what is kept: no image was shown by it.
                    let quotes = !shows_image && is_read_back(&call.tool);
                    let shown = if quotes { Some(ShownSlots::default()) } else { shown };
                    parts.push(StoredPart::Result(StoredResult { call, text, shown }));
                }
                Part::Text(_) | Part::Other => {}
            }
        }
        self.append(parts);
        self.messages.len() - 1
    }

    /// Opens calls: each is pending until its result comes.
    pub(crate) fn begin(&mut self, calls: impl IntoIterator<Item = Call>) {
        for call in calls {
            self.pending_ids.entry(call.id.clone()).or_default().push_back(self.opened);
            self.pending.insert(self.opened, call);
            self.opened += 1;
        }
    }

    /// Takes the stored text of a call's result into the open batch.
    pub(crate) fn complete(&mut self, call: Call, text: ByteString, shown: Option<ShownSlots>) {
        let first = self.pending_ids.get_mut(&call.id).and_then(VecDeque::pop_front);
        if let Some(opened) = first {
            self.pending.remove(&opened);
        }
        self.completed.push(StoredResult { call, text, shown });
    }

    /// Closes the batch: its results become one message, and nothing is pending. Returns how many
    /// they are; of none, no message is made.
    pub(crate) fn commit(&mut self) -> usize {
        self.pending.clear();
        self.pending_ids.clear();
        let results = std::mem::take(&mut self.completed);
        let count = results.len();
        if count > 0 {
            self.append(results.into_iter().map(StoredPart::Result).collect());
        }
        count
    }

    /// The calls of the open batch that have no result yet, in the order in which they were opened.
    pub fn pending(&self) -> Vec<Call> {
        self.pending.values().cloned().collect()
    }

    /// The results of the open batch, in the order in which they completed.
    pub fn completed(&self) -> &[StoredResult] {
        &self.completed
    }

    /// The messages, the oldest first, each as the parts that can show an image. Those that no
    /// inventory reaches any more are empty.
    pub fn messages(&self) -> &[Vec<StoredPart>] {
        &self.messages
    }
}
