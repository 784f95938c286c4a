package rulebook

import (
	"strings"

	"debitdesk/models/calendar"
)

// The streams that debits of ours run by.
const (
	EFT       = "eft"
	DebiCheck = "debicheck"
	RM        = "rm"
	RMS       = "rms"
	PayShap   = "payshap"
)

// Disputes are the terms on which a client may dispute a debit, as the rows of the day of the debit have them.
type Disputes struct {
	AutoDays   int    // calendar days in which the money goes back without a question
	Defence    bool   // afterwards the collector may prove the mandate
	ProofDays  int    // calendar days to do so
	LateMonths int    // how long a client may dispute at all, where there is a defence
	Rows       string // ids of the rows, with spaces between them
}

// Disputes are the terms for a debit that is processed on a day, as known when they are asked for.
func (b *Book) Disputes(stream string, processed, known calendar.Date) Disputes {
	var d Disputes
	var rows []string
	for _, key := range []string{"dispute.auto_days", "dispute.defence", "dispute.proof_days", "dispute.late_max"} {
		v, id := b.Value(Question{Key: key, Stream: stream, Day: processed, Known: known})
		rows = append(rows, id)
		d.take(key, v)
	}
	d.Rows = strings.Join(rows, " ")
	return d
}

// Kept are the terms that a decision was made by: the values of its rows.
func (b *Book) Kept(rows []string) Disputes {
	d := Disputes{Rows: strings.Join(rows, " ")}
	for _, id := range rows {
		key, _, _ := strings.Cut(id, "/")
		if row, found := b.Row(id); found {
			d.take(key, row.Value)
		} else {
			d.take(key, cautious[key])
		}
	}
	return d
}

func (d *Disputes) take(key string, v Value) {
	switch key {
	case "dispute.auto_days":
		d.AutoDays = int(v.Int())
	case "dispute.defence":
		d.Defence = v.Bool()
	case "dispute.proof_days":
		d.ProofDays = int(v.Int())
	case "dispute.late_max":
		d.LateMonths = int(v.Int())
	}
}

// Refunded is the last day on which a dispute of a debit of that day is refunded without a question.
func (d Disputes) Refunded(processed calendar.Date) calendar.Date {
	return processed.AddDays(d.AutoDays)
}

// Until is the last day on which a debit of that day can be disputed at all.
func (d Disputes) Until(processed calendar.Date) calendar.Date {
	last := d.Refunded(processed)
	if !d.contested() || d.LateMonths == 0 {
		return last
	}
	if late := processed.AddMonths(d.LateMonths, processed.Day); late.After(last) {
		return late
	}
	return last
}

// Lodged is what becomes of a dispute.
type Lodged struct {
	Refused    string        // why the client's bank does not hear it; empty: it does
	ProofUntil calendar.Date // the last day to prove the mandate; zero: the money goes back at once
	Rows       string        // ids of the rows, with spaces between them
}

// OutOfWindow is why a dispute after the last day is refused.
const OutOfWindow = "out_of_window"

// Lodge judges a dispute that is lodged on a day. The debit keeps its terms: until when a dispute is refunded, and
// until when it is heard at all. Where the bank says so, one that is lodged when there is no proof any more is
// judged by the terms of that day.
func (b *Book) Lodge(d Disputes, stream string, refunded, until, lodged calendar.Date) Lodged {
	how, row := b.Value(Question{Key: "dispute.transition", Stream: stream, Day: lodged, Known: lodged})
	out := Lodged{Rows: d.Rows}
	if d.contested() && how.Text() == "by_lodging_date" {
		if by := b.Disputes(stream, lodged, lodged); !by.contested() {
			refunded = refunded.AddDays(by.AutoDays - d.AutoDays)
			until, out.Rows = refunded, by.Rows+" "+row
		}
	}
	switch {
	case lodged.After(until):
		out.Refused = OutOfWindow
	case lodged.After(refunded):
		out.ProofUntil = lodged.AddDays(d.ProofDays)
	}
	return out
}

// contested: there is a time in which a collector may prove the mandate.
func (d Disputes) contested() bool { return d.Defence && d.ProofDays > 0 }
