----------------------------- MODULE Collecting -----------------------------
(* One EFT mandate for a day of each month, one purchase that is to be paid     *)
(* once, the debits of it, and a plan for failed debits. The chapter "A model   *)
(* of collecting" of the manual says what is left out.                          *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS MaxCycle,    \* dates of the mandate that are looked at
          InRowEnds    \* unpaid debits in a row that end the mandate

VARIABLES
  cycle,     \* the next date that the mandate names, or the last in phase "back"
  phase,     \* plan: a debit can be made; book: plans must make it now;
             \* bank: it was handed over; back: the bank has answered
  mandate,   \* active, blocked, deleted
  stopped,   \* the client asked for everything to be stopped
  inRow,     \* unpaid debits in a row
  before,    \* the same before the success that came last
  debits,    \* in their order, with the state and the cycle of each
  purchase,  \* open, pending, paid, failed, cancelled, disputed
  hand,      \* it was paid by hand
  promise,   \* the client promised to pay, and the day is not over
  run,       \* none, waiting, debit, promise, person, ended
  branch,    \* whose steps the run follows: money or stopped
  step       \* how many steps of it are over

vars == <<cycle, phase, mandate, stopped, inRow, before, debits, purchase, hand, promise, run, branch, step>>

Phases == <<"plan", "book", "bank", "back">>
Open == {"scheduled", "submitted"}
Collected == {"provisional", "final"}
Presented == {"scheduled", "submitted", "provisional", "final", "unpaid", "stopped", "disputed"}
Live == {"waiting", "debit", "promise", "person"}

\* The steps: after no money debit again, debit again, a person; after a stop or a dispute a person.
Steps(b) == IF b = "money" THEN <<"debit", "debit", "person">> ELSE <<"person">>

Count == Len(debits)
Newest == IF Count = 0 THEN "none" ELSE debits[Count].st
Owed == purchase \in {"open", "failed"}
Early == phase \in {"plan", "book"}
Target == IF Early THEN cycle ELSE cycle + 1   \* the first date for which a debit can still be made

\* A date on which a debit found no money is over: the next one is the first to try again.
Presentable(list, target) ==
  IF Len(list) > 0 THEN list[Len(list)].st = "unpaid" => target > list[Len(list)].due ELSE TRUE

MayDebit(m, s, list, target) == m = "active" /\ ~s /\ Presentable(list, target)

Is(st) == [debits EXCEPT ![Count].st = st]
Made == Append(debits, [st |-> "scheduled", due |-> Target])

Init ==
  /\ cycle = 1 /\ phase = "plan"
  /\ mandate = "active" /\ stopped = FALSE /\ inRow = 0 /\ before = 0
  /\ debits = <<>> /\ purchase = "open" /\ hand = FALSE
  /\ promise = FALSE
  /\ run = "none" /\ branch = "money" /\ step = 0

-----------------------------------------------------------------------------
\* What a run does as soon as nothing holds it: b and at are its steps and how many are over, m is the mandate,
\* p the purchase, and list the debits, as they have become. book tells that a debit must be made now.
Settle(b, at, m, s, p, list, promised, book, target) ==
  IF p = "paid" \/ p = "cancelled" THEN
    /\ run' = "ended" /\ step' = at /\ branch' = b /\ debits' = list /\ purchase' = p
  ELSE IF promised THEN
    /\ run' = "promise" /\ step' = at /\ branch' = b /\ debits' = list /\ purchase' = p
  ELSE IF at >= Len(Steps(b)) THEN
    /\ run' = "ended" /\ step' = at /\ branch' = b /\ debits' = list /\ purchase' = p
  ELSE IF Steps(b)[at + 1] = "debit" /\ MayDebit(m, s, list, target) /\ list[Len(list)].st = "unpaid" THEN
    IF book THEN
      /\ run' = "debit" /\ step' = at + 1 /\ branch' = b /\ purchase' = "pending"
      /\ debits' = Append(list, [st |-> "scheduled", due |-> target])
    ELSE
      /\ run' = "waiting" /\ step' = at /\ branch' = b /\ debits' = list /\ purchase' = p
  ELSE \* what is refused is passed over, and a person goes on
    /\ run' = "person" /\ step' = Len(Steps(b)) /\ branch' = b /\ debits' = list /\ purchase' = p

\* A debit failed: its run goes on, or begins anew where the reason is of another class. None begins where the account was
\* deleted or the client's debits were stopped meanwhile: the failure is a person's.
Fails(b, m, s, p, list) ==
  IF m = "deleted" \/ s
    THEN run' = "ended" /\ step' = 0 /\ branch' = b /\ debits' = list /\ purchase' = p
  ELSE IF run \in {"waiting", "debit", "promise"} /\ branch = b /\ p = "failed"
    THEN Settle(b, step, m, s, p, list, promise, phase = "book", Target)
  ELSE IF run = "person" /\ (p = "failed" \/ branch = "stopped")
    THEN UNCHANGED <<run, branch, step>> /\ debits' = list /\ purchase' = p
  ELSE Settle(b, 0, m, s, p, list, promise, phase = "book", Target)

Ends == run' = IF run \in Live THEN "ended" ELSE run

-----------------------------------------------------------------------------
\* What staff do.

Charge ==
  /\ Owed /\ Target <= MaxCycle /\ MayDebit(mandate, stopped, debits, Target)
  /\ debits' = Made /\ purchase' = "pending"
  /\ run' = IF run \in {"waiting", "promise"} THEN "debit" ELSE run
  /\ UNCHANGED <<cycle, phase, mandate, stopped, inRow, before, hand, promise, branch, step>>

Withdrawn == IF Newest = "scheduled" THEN Is("cancelled") ELSE IF Newest = "submitted" THEN Is("recalled") ELSE debits

Cancel ==
  /\ Owed \/ purchase = "pending"
  /\ purchase' = "cancelled" /\ debits' = Withdrawn /\ Ends
  /\ UNCHANGED <<cycle, phase, mandate, stopped, inRow, before, hand, promise, branch, step>>

MarkPaid ==
  /\ Owed
  /\ purchase' = "paid" /\ hand' = TRUE /\ Ends
  /\ UNCHANGED <<cycle, phase, mandate, stopped, inRow, before, debits, promise, branch, step>>

\* In the phases plan and book for the day of the phase bank, else for the same day.
Promise ==
  /\ Owed /\ ~promise
  /\ promise' = TRUE
  /\ run' = IF run = "waiting" THEN "promise" ELSE run
  /\ UNCHANGED <<cycle, phase, mandate, stopped, inRow, before, debits, purchase, hand, branch, step>>

Released(book, target) ==
  IF run = "promise" THEN Settle(branch, step, mandate, stopped, purchase, debits, FALSE, book, target)
  ELSE UNCHANGED <<run, branch, step, debits, purchase>>

WithdrawPromise ==
  /\ promise /\ promise' = FALSE
  /\ Released(phase = "book", Target)
  /\ UNCHANGED <<cycle, phase, mandate, stopped, inRow, before, hand>>

EndPlan ==
  /\ run \in Live /\ run' = "ended"
  /\ UNCHANGED <<cycle, phase, mandate, stopped, inRow, before, debits, purchase, hand, promise, branch, step>>

StopClient ==
  /\ ~stopped /\ stopped' = TRUE
  /\ debits' = Withdrawn /\ Ends
  /\ purchase' = IF Newest \in Open THEN "failed" ELSE purchase
  /\ UNCHANGED <<cycle, phase, mandate, inRow, before, hand, promise, branch, step>>

Delete ==
  /\ mandate # "deleted" /\ Newest \notin Open
  /\ mandate' = "deleted" /\ Ends
  /\ UNCHANGED <<cycle, phase, stopped, inRow, before, debits, purchase, hand, promise, branch, step>>

-----------------------------------------------------------------------------
\* What the bank says of the newest debit.

BankPays ==
  /\ Newest = "submitted"
  /\ debits' = Is("provisional") /\ purchase' = "paid"
  /\ before' = inRow /\ inRow' = 0
  /\ UNCHANGED <<cycle, phase, mandate, stopped, hand, promise, run, branch, step>>

Blocked == IF mandate = "active" THEN "blocked" ELSE mandate

NoMoney ==
  /\ Newest \in {"submitted"} \cup Collected
  /\ LET row == inRow + 1 + (IF Newest \in Collected THEN before ELSE 0)
         m == IF row >= InRowEnds THEN Blocked ELSE mandate
     IN /\ inRow' = row /\ mandate' = m
        /\ Fails("money", m, stopped, "failed", Is("unpaid"))
  /\ UNCHANGED <<cycle, phase, stopped, before, hand, promise>>

StoppedAtBank ==
  /\ Newest \in {"submitted"} \cup Collected
  /\ mandate' = Blocked
  /\ inRow' = inRow + (IF Newest \in Collected THEN before ELSE 0)
  /\ Fails("stopped", Blocked, stopped, "failed", Is("stopped"))
  /\ UNCHANGED <<cycle, phase, stopped, before, hand, promise>>

\* A debit can be disputed for 60 days: never from the second date after its own.
Disputes ==
  /\ Newest \in {"submitted"} \cup Collected
  /\ cycle <= debits[Count].due + 1
  /\ mandate' = Blocked
  /\ IF Newest = "submitted" THEN before' = inRow /\ inRow' = 0 ELSE UNCHANGED <<before, inRow>>
  /\ Fails("stopped", Blocked, stopped, "disputed", Is("disputed"))
  /\ UNCHANGED <<cycle, phase, stopped, hand, promise>>

-----------------------------------------------------------------------------
\* Time goes on. A promise is over after the phases bank and back.

ToBook ==
  /\ phase = "plan" /\ phase' = "book"
  /\ IF run = "waiting" THEN Settle(branch, step, mandate, stopped, purchase, debits, promise, TRUE, cycle)
     ELSE UNCHANGED <<run, branch, step, debits, purchase>>
  /\ UNCHANGED <<cycle, mandate, stopped, inRow, before, hand, promise>>

ToBank ==
  /\ phase = "book" /\ phase' = "bank"
  /\ debits' = IF Newest = "scheduled" /\ debits[Count].due = cycle THEN Is("submitted") ELSE debits
  /\ UNCHANGED <<cycle, mandate, stopped, inRow, before, purchase, hand, promise, run, branch, step>>

ToBack ==
  /\ phase = "bank" /\ phase' = "back"
  /\ promise' = FALSE
  /\ IF Newest = "submitted" THEN
       /\ debits' = Is("provisional") /\ purchase' = "paid" /\ before' = inRow /\ inRow' = 0
       /\ UNCHANGED <<run, branch, step>>
     ELSE Released(FALSE, cycle + 1) /\ UNCHANGED <<before, inRow>>
  /\ UNCHANGED <<cycle, mandate, stopped, hand>>

ToNext ==
  /\ phase = "back" /\ cycle < MaxCycle
  /\ phase' = "plan" /\ cycle' = cycle + 1
  /\ promise' = FALSE
  /\ IF Newest = "provisional" THEN debits' = Is("final") /\ Ends /\ UNCHANGED <<branch, step, purchase>>
     ELSE Released(FALSE, cycle + 1)
  /\ UNCHANGED <<mandate, stopped, inRow, before, hand>>

Next ==
  \/ Charge \/ Cancel \/ MarkPaid \/ Promise \/ WithdrawPromise \/ EndPlan \/ StopClient \/ Delete
  \/ BankPays \/ NoMoney \/ StoppedAtBank \/ Disputes
  \/ ToBook \/ ToBank \/ ToBack \/ ToNext

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
All == 1..Count
Received == Cardinality({i \in All : debits[i].st \in Collected}) + (IF hand THEN 1 ELSE 0)
Due == {i \in All : debits[i].st \in Open}

NeverTooMuch == Received <= 1
PaidIsPaid == (purchase = "paid") <=> (Received = 1)
OneOpenDebit == Cardinality(Due) <= 1 /\ ((Due # {}) <=> (purchase = "pending"))
OnePresentmentPerCycle ==
  \A i \in All : \A j \in All :
    (i < j /\ debits[i].st \in Presented /\ debits[j].st \in Presented) => debits[i].due < debits[j].due
NothingWithoutPermission == (mandate # "active" \/ stopped) => Due = {}
NothingAfterAnObjection == \A i \in All : debits[i].st \in {"stopped", "disputed"} => i = Count /\ mandate # "active"
TwoInRowEnd ==
  /\ inRow >= InRowEnds => mandate # "active"
  /\ \A i \in All : (i > 1 /\ debits[i].st = "unpaid" /\ debits[i - 1].st = "unpaid") => i = Count /\ mandate # "active"
PlanStops ==
  /\ purchase = "cancelled" => run \in {"none", "ended"}
  /\ (purchase = "paid" /\ Newest # "provisional") => run \in {"none", "ended"}
  /\ purchase = "disputed" => run \in {"promise", "person", "ended"}
  /\ run = "promise" => promise
  /\ run = "waiting" => /\ purchase = "failed" /\ ~promise /\ mandate = "active" /\ ~stopped
                        /\ branch = "money" /\ Newest = "unpaid"
PlanWaitsForDebits == run = "debit" => Due # {} \/ Newest = "provisional"
=============================================================================
