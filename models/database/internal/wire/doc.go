// Package wire is what requests share on their way to PostgreSQL, so that many small ones cost less than their sum. It
// knows pgx and statements. It knows no unit of work, no clock, no GORM and no merchant: models/database has those, and
// passes in what is needed. Only models/database imports it.
//
// # What is here, why, and what it bought
//
// The figures are those of static/manual/figures.md and of the commits that brought each trick, measured on two cores
// with fsync on. Measure again (make bench) before you change one, and take out a trick that no longer pays.
//
//   - Deferred writes (Writes). Statements whose results nobody needs wait until the unit of work ends or reads, and
//     are then one round trip; PostgreSQL runs a pipeline up to one Sync as one transaction, so that BEGIN and COMMIT
//     are not sent either. Four or more changes of one kind are one UPDATE over unnest; fifty or more rows of a table
//     that only grows go by COPY. Together: 10 000 invoices with their rows are written in 1.68 times the time of a
//     bare COPY of the same rows. The parts were not measured one by one.
//   - Group commit (Batcher, Merger, WriteMerged). Units that only write, have the same statements, and end while
//     others are on their way to the disk are written in one transaction, each statement once for all of them. With
//     the data loader: 3 978 purchases a second instead of 2 496, and 2 412 charges instead of 1 553. Merging the
//     statements is what pays. To commit many units together, each with its own statements, gained nothing (1 400 and
//     1 403 a second): PostgreSQL groups the flushes of the log by itself.
//   - Data loader (Loader). Look-ups of one record (a credential, a token with its mandate) that arrive while others
//     are under way are one query over a list of keys. Its gain is part of the figures above. The list stands in a
//     subquery, (SELECT $1::uuid[]), so that the planner does not plan anew for each number of keys: that saved 17 µs
//     of a purchase and 52 µs of a charge.
//   - Pipeline (Pipelined). Readers of one request that do not depend on each other share their round trips. The page
//     "needs attention" waits 7 times for the server, not 27; a list 6 times, not 15.
//   - Plans. Merged writes run by the generic plan (plan_cache_mode), because planning costs more than such statements
//     could gain. Setting does the same for one query, or forbids sorting where an index has the order. Neither has a
//     figure of its own.
//   - Cancelling (canceller, KeepSession). A statement whose caller gave up is cancelled at the server, and a
//     transaction is rolled back, instead of closing the connection as pgx does: the next caller would pay for a new
//     session, its prepared statements and their plans. "make bench BENCH=closing" measures such callers.
//   - Pools (Configure, OpenPool, Dedicated). One place says how the program connects, notices a pooler in transaction
//     mode, bounds the wait for a connection, and opens connections beside the pool for locks and listening. They make
//     nothing faster; they are here because the rest relies on them.
//
// # What is shared between requests
//
// A connection for the length of one batch. The transaction of merged writes: each unit is in it whole or not at all.
// The query of a data loader: each caller gets a record of its own, never a pointer that another caller has. The
// pipeline is shared by the readers of one request only, never by two requests.
//
// # What is never shared
//
// Answers: nothing is cached, and a loader's query begins after all its callers have asked, so that a credential that
// was revoked stops at once. Failure: when a batch fails, each of its calls is run by itself, and only the one at fault
// fails. Locks: a merged transaction waits 100 ms for a row that somebody else has locked, then its units run one by
// one. Waiting: a batch that takes longer than 100 ms stops holding others back. Merchants: a shared query for records
// of merchants carries the merchant beside each id. Reads of a unit of work: once it has read, it has a transaction of
// its own and shares nothing. Reads from a standby: each asks by itself.
//
// # What happens on cancel
//
//   - A call that waits in a Batcher leaves the queue with the error of its context. The leader of a batch runs it
//     whether or not its own caller is still there, within ten seconds: followers depend on it. Whoever leaves while
//     the batch is under way does not learn what became of it, as when a connection is lost; an Idempotency-Key tells.
//   - A reader in a Pipeline whose queries were not sent takes them back. One whose queries were sent waits for them,
//     since their rows are written to its variables; the context of the request cancels them at the server.
//   - A reader that waits for anything but rows would keep the others from being sent. They wait for it a second, once;
//     then each reader of that request asks by itself. A value that two readers look up by paging.Once is no such wait:
//     the pipeline is told of it.
//   - A statement is cancelled at the server after 100 ms, since most end by themselves sooner. A server that does not
//     answer within 3 s after that loses the connection.
//
// # What stayed in models/database
//
// Tx decides when its writes are sent and what a lost race is called: moving it would bring the clock, the audit and
// the jobs with it. The events that units tell are merged there (it implements Merger), beside the function of the
// database that they call. Stored answers (replay.go) are rows under an Idempotency-Key and share nothing between
// requests. The standby is a choice of server for each read and wraps GORM.
package wire
