-- Times are milliseconds since the Unix epoch, except days, which are days since it. States and kinds are the numbers of
-- `store/codes.rs`. Digests and ids are their 32 bytes.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE nodes (
    n INTEGER PRIMARY KEY,
    node_id TEXT NOT NULL UNIQUE,
    -- Which secret the node was given: 0 for none. The secret itself is derived (see `secrets.rs`).
    generation INTEGER NOT NULL DEFAULT 0,
    -- SHA-256 of that secret.
    secret_hash BLOB,
    -- The Ed25519 key of the first signed hello.
    key BLOB,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    claim_code TEXT,
    claim_until INTEGER,
    platform TEXT,
    arch TEXT,
    webhook TEXT,
    published INTEGER NOT NULL DEFAULT 0,
    promoted INTEGER NOT NULL DEFAULT 0,
    rejected INTEGER NOT NULL DEFAULT 0,
    revoked INTEGER NOT NULL DEFAULT 0,
    penalties REAL NOT NULL DEFAULT 0,
    reputation REAL NOT NULL DEFAULT 50,
    -- Whether its reputation is to be computed again.
    dirty INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX nodes_dirty ON nodes (n) WHERE dirty = 1;
CREATE INDEX nodes_by_secret ON nodes (secret_hash) WHERE secret_hash IS NOT NULL;
CREATE INDEX nodes_by_claim ON nodes (claim_code) WHERE claim_code IS NOT NULL;
CREATE INDEX nodes_by_reputation ON nodes (reputation, n);

CREATE TABLE assets (
    n INTEGER PRIMARY KEY,
    asset_id BLOB NOT NULL UNIQUE,
    kind INTEGER NOT NULL,
    node INTEGER NOT NULL REFERENCES nodes (n),
    bundle TEXT NOT NULL,
    -- Of a capsule: its gene. Of an event or a gene: the capsule of its bundle.
    partner INTEGER NOT NULL,
    local_id TEXT,
    state INTEGER NOT NULL,
    reason TEXT,
    published_at INTEGER NOT NULL,
    scored_at INTEGER NOT NULL,
    -- The lower bound of the GDI in hundredths.
    rank INTEGER NOT NULL,
    gdi REAL NOT NULL,
    uses INTEGER NOT NULL DEFAULT 0,
    component BLOB,
    recording BLOB,
    -- Whether the publisher proved who it is.
    authenticated INTEGER NOT NULL,
    has_event INTEGER NOT NULL DEFAULT 0,
    body BLOB NOT NULL
);
CREATE INDEX assets_newest ON assets (state, kind, n);
CREATE INDEX assets_ranked ON assets (state, kind, rank, n);
CREATE INDEX assets_most_used ON assets (state, kind, uses, n);
CREATE INDEX assets_of_node ON assets (node, kind, n);
CREATE INDEX assets_of_partner ON assets (partner, kind, rank);
CREATE INDEX assets_local_id ON assets (local_id, kind, state, n) WHERE local_id IS NOT NULL;
CREATE INDEX assets_scored ON assets (kind, scored_at);

-- Words of signals, and which assets have them, best first.
CREATE TABLE terms (
    n INTEGER PRIMARY KEY,
    term TEXT NOT NULL UNIQUE
);
CREATE TABLE postings (
    term INTEGER NOT NULL,
    state INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    asset INTEGER NOT NULL,
    PRIMARY KEY (term, state, kind, rank, asset)
) WITHOUT ROWID;

-- Messages within the time in which they could be replayed.
CREATE TABLE messages (
    sender TEXT NOT NULL,
    message_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    at INTEGER NOT NULL,
    answer BLOB,
    PRIMARY KEY (sender, message_id)
) WITHOUT ROWID;
CREATE INDEX messages_at ON messages (at);

CREATE TABLE reports (
    n INTEGER PRIMARY KEY,
    target INTEGER NOT NULL REFERENCES assets (n),
    node INTEGER NOT NULL REFERENCES nodes (n),
    ok INTEGER NOT NULL,
    at INTEGER NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (target, node)
);
CREATE TABLE decisions (
    target INTEGER NOT NULL REFERENCES assets (n),
    node INTEGER NOT NULL REFERENCES nodes (n),
    decision TEXT NOT NULL,
    reason TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (target, node)
) WITHOUT ROWID;
CREATE TABLE votes (
    target INTEGER NOT NULL REFERENCES assets (n),
    node INTEGER NOT NULL REFERENCES nodes (n),
    good INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (target, node)
) WITHOUT ROWID;
CREATE TABLE reviews (
    n INTEGER PRIMARY KEY,
    target INTEGER NOT NULL REFERENCES assets (n),
    node INTEGER NOT NULL REFERENCES nodes (n),
    rating INTEGER NOT NULL,
    content TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (target, node)
);
CREATE TABLE replays (
    target INTEGER PRIMARY KEY REFERENCES assets (n),
    outcome TEXT NOT NULL,
    reason TEXT,
    at INTEGER NOT NULL
);
CREATE TABLE fetches (
    target INTEGER NOT NULL,
    node INTEGER NOT NULL,
    day INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (target, day, node)
) WITHOUT ROWID;
CREATE INDEX fetches_day ON fetches (day, target, node, count);

-- Bytes in the blob folder: components and recordings.
CREATE TABLE blobs (
    digest BLOB PRIMARY KEY,
    kind TEXT NOT NULL,
    size INTEGER NOT NULL,
    world TEXT,
    gene_id TEXT,
    at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE attestations (
    n INTEGER PRIMARY KEY,
    digest BLOB NOT NULL,
    body_digest BLOB NOT NULL,
    at INTEGER NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (digest, body_digest)
);
