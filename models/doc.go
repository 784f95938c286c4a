// Package models is the map of the domain; it holds no types itself.
//
// Vocabulary, which all rules share and which imports nothing else of ours: money (cents), plural (counts with
// their nouns), rulebook (the rules of debit orders as dated facts), calendar (dates, SAST, business days), fault
// (refusals), actor (who acts), paging (long lists), queue (work for later), replay (answers given before), dryrun
// (requests that are tried and not kept), weblink (addresses).
//
// Rules, one package for each concept: merchant, client, token, mandate, purchase, collection, user, factor
// (two-step sign-in), credential, audit, mail, facet (what lists are narrowed by that stands in other records);
// debit runs what is due, subscription bills the periods that begin, attention is the queue of what needs a person,
// followup keeps what staff do about what
// needs attention, and planner says what each day brings and what a moved holiday changes. book brings a business
// in from elsewhere, leaving takes it out whole, merging makes one client of two, and journal keeps the balanced
// entries of money and documents for accounting packages.
//
// A concept keeps its own rows: rows.go, or a file whose name ends in _rows.go, holds its tables and queries, and
// these files alone speak SQL. Its Store reads; functions that take a *database.Tx write. Another concept calls them,
// with its own transaction: user.Insert(tx, …), merchant.Store{DB: s.DB}.Brand(…). database holds what they share (the
// unit of work, records in tables, sealed values, the clock) and what every change writes (audit, mails, jobs,
// events); it imports no other concept. database/listing reads lists that may be long; audit says what an entry is,
// and audit/trail keeps the entries and their chains. There is no interface between a concept and its own rows. upkeep
// holds what goes over all tables: tidying, figures, keys, copies.
//
// Ports that the rules call: bank.Gateway and mail.Sender. Adapters implement them: bank/sandbox, mail/smtp; others
// stand between the product and its machine: database/postgres (the server's programs), keyfile, jobs (the queue).
// Only cmd wires adapters. bank/simbank stands outside: a bank that answers files and shares no code with the product.
//
// # How an amount travels
//
//	purchase    created → sent → viewed ─┬─ charge ──→ pending_charge ─ day ─→ pending_execute ─┬→ paid ─→ refunded
//	                                     ├─ cancel ──→ cancelled                                ├→ error
//	                                     ├─ due ─────→ overdue | expired                        └→ error, chargeback
//	                                     └─ account stored without amount → preauthorized
//	            of a subscription whose switch is on:  error → sent (a payable invoice)
//
//	by DebiCheck  created ─ asked ─→ pending_execute ─┬─ accepted, no amount ──→ preauthorized
//	                                                  ├─ accepted, due ahead ──→ pending_charge → …
//	                                                  ├─ accepted, no due ─────→ (stays; first debit) → paid | error
//	                                                  ├─ no answer, fallback ──→ (stays; 48 hours more)
//	                                                  └─ declined, no answer ──→ error ─ asked again ─→ pending_execute
//
//	collection  scheduled → submitted → provisional → final        (EFT)
//	                 │           │           └→ unpaid (return) | disputed → dispute_won | dispute_lost
//	                 │           └→ unpaid | recalled
//	                 └→ cancelled
//
//	collection  scheduled → submitted → successful → disputed      (DebiCheck: final; disputed only outside the terms)
//	                             └→ in_tracking → successful | unpaid
//
//	mandate     submitted → pending_authentication ─┬→ active ─────────────────────┬→ suspended
//	   ↑  ↑                  │                      └→ registered_unauthenticated ─┤   (seven failures, once-off, payer)
//	   │  └─ fallback ───────┤                         (the fallback unanswered)   └→ cancelled | superseded
//	   └─ asked again ── rejected | no_response | failed
//
//	authentication  requested → sent → delivered ─┬→ accepted      one open at a time; of answer and
//	                                              ├→ rejected      time limit (120 s, 48 h) the first
//	                                              ├→ no_response   decides, the other is recorded and
//	                                              ├→ failed        changes nothing
//	                                              └→ withdrawn     the merchant wants no answer; the mandate is cancelled
//
// A mandate, its token and the purchase that asked for it share one id. The token
// lives only while its mandate is active or registered_unauthenticated.
//
//	token       pending → active ⇄ blocked;  active | blocked → deleted | superseded
//
//	subscriber  pending → active ⇄ subscription_paused;  any → inactive     (one purchase a period, by the period key)
//
//	task        waiting → running → done | failed;  waiting | running → cancelled (after the piece under way)
//
//	import      mapping → checking ⇄ checked → running → done → undoing → undone;  a draft → discarded
//
//	amendment   open → done (the old token superseded, what waits on it moved) | abandoned
//
// The row is the truth and a job only a nudge: every change of state is a
// compare-and-set, every due time an indexed column, every worker safe to repeat.
package models
