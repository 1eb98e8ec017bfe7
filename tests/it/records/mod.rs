//! Records in use: what an engine keeps, and what its tools answer (SPEC 21, 22).

mod answers;
mod direct;
mod keeping;
mod resumed;
mod tools;

use std::sync::Arc;

use slotledger::content::ToolResult;
use slotledger::content::wire::data;
use slotledger::record::store::{MemoryStore, Retention, Store};
use slotledger::{Config, Engine};

use crate::support::NONCE;

/// An engine that keeps records in `store`, at a cap of 1,000.
fn engine(store: Arc<dyn Store>) -> Engine {
    let config = Config::default().with_cap(1_000).unwrap().with_nonce(NONCE.parse().unwrap());
    Engine::new(config).with_store(store).unwrap()
}

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new(Retention::default()))
}

/// A result that is a text.
fn text(text: &str) -> ToolResult {
    data::read(&serde_json::to_vec(text).unwrap().into()).unwrap()
}
