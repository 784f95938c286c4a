package source

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/bank/tape"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/money"
)

// acbTape is a tape of debits with records of 180 characters, as a merchant sends them to a bank.
var acbTape = layout{key: "acb_180", name: "Bank tape (ACB 180)", walk: func() walker { return &debits{} }}

// maxTapeLine is what no honest record comes near, in bytes.
const maxTapeLine = 4 << 10

// tapeLines gives the lines of a tape, whatever ends them, each as one cell.
func tapeLines(src io.ReadSeeker) func(func(sheet.Row) error) error {
	return func(see func(sheet.Row) error) error {
		if _, err := src.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("go to the start of the file: %w", err)
		}
		in := bufio.NewScanner(io.LimitReader(src, sheet.Large.Bytes+1))
		in.Buffer(make([]byte, 0, maxTapeLine), maxTapeLine)
		read, ends := int64(0), lineEnds{}
		in.Split(ends.split)
		for in.Scan() {
			if read += int64(len(in.Bytes()) + 1); read > sheet.Large.Bytes {
				return tapeTooLarge()
			}
			if err := see(sheet.Row{Number: ends.lines, Cells: []string{in.Text()}}); err != nil {
				return err
			}
		}
		if errors.Is(in.Err(), bufio.ErrTooLong) {
			return refuse("acb_line", "One line of the tape is longer than %d kB.", maxTapeLine>>10)
		}
		if in.Err() != nil {
			return fmt.Errorf("read the tape: %w", in.Err())
		}
		return nil
	}
}

// lineEnds counts lines as an editor does, CR LF being one end.
type lineEnds struct {
	lines int
	wasCR bool
}

func (e *lineEnds) split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if e.wasCR && len(data) > 0 && data[0] == '\n' {
		e.wasCR = false
		if advance, token, err = e.split(data[1:], atEOF); advance > 0 || token != nil {
			return advance + 1, token, err
		}
		e.wasCR = true
		if atEOF {
			return 1, nil, nil
		}
		return 0, nil, nil
	}
	advance, token, err = tape.SplitLines(data, atEOF)
	if advance > 0 {
		e.lines, e.wasCR = e.lines+1, data[advance-1] == '\r'
	}
	return advance, token, err
}

// Columns of a tape, from 0.
const (
	tapeReference = iota
	tapeName
	tapeBranch
	tapeAccount
	tapeType
	tapeAmount
	tapeDay
	tapeStatement
	tapeClass
	tapeUser
)

var tapeColumns = []Column{{Name: "Contract reference", Means: Reference}, {Name: "Name", Means: FullName},
	{Name: "Branch", Means: Branch}, {Name: "Account", Means: Account}, {Name: "Account type", Means: Type},
	rands("Amount"), {Name: "Action date", Means: LastDebit}, {Name: "Reference on the statement"},
	{Name: "Entry class"}, {Name: "User code"}}

var tapeTypes = map[string]string{"1": "Current", "2": "Savings", "3": "Transmission", "4": "Bond",
	"6": "Subscription share"}

type debits struct {
	Report Report
	test   bool
	opened bool
	closed bool
	inUser bool
	sum    struct{ debits, credits, contras, cents, back, hash int64 } // of the user that is read
	rows   int
}

func (d *debits) found() ([]Column, Report) {
	r := d.Report
	r.Rows, r.Collects = d.rows, true
	r.Limits = []string{"A tape says nothing about how often: each debit is taken as monthly. It holds no signing dates."}
	return tapeColumns, r
}

func (d *debits) line(line sheet.Row) (sheet.Row, bool, error) {
	text, test := tape.Unwrap(strings.TrimPrefix(line.Cells[0], "\ufeff"))
	d.test = d.test || test
	if strings.TrimSpace(text) == "" {
		return line, false, nil
	}
	r := tape.Read(text)
	switch r.Kind() {
	case tape.FileHeader:
		d.opened = true
	case tape.UserHeader:
		d.opened, d.inUser = true, true
		d.sum.debits, d.sum.credits, d.sum.contras, d.sum.cents, d.sum.back, d.sum.hash = 0, 0, 0, 0, 0, 0
		if service := mention(strings.TrimSpace(r.Trimmed(tape.At(41, 10)))); service != "" {
			d.Report.told("service %s", service)
		}
	case tape.Debit:
		d.count(r)
		d.rows++
		return d.debit(line, r), true, nil
	case tape.Credit:
		d.count(r)
		return d.Report.aside(line, "credits", "a credit: money that was paid out")
	case tape.CreditContra, tape.DebitContra:
		d.count(r)
		return d.Report.aside(line, "contras", "a contra: the sum on your own account")
	case tape.UserTrailer:
		d.trailer(r)
	case tape.FileTrailer:
		d.closed = true
	default:
		return d.Report.unknown(line)
	}
	return line, false, nil
}

// count adds a record to the totals of its user. A contra is on the side of the money that it balances.
func (d *debits) count(r tape.Record) {
	cents := tape.DigitsOf(r.Trimmed(tape.Amount))
	d.sum.hash = tape.HashTotal(d.sum.hash + tape.HashTotal(r.Homing()))
	switch r.Kind() {
	case tape.Debit, tape.CreditContra:
		d.sum.debits, d.sum.cents = d.sum.debits+1, d.sum.cents+cents
	default:
		d.sum.credits, d.sum.back = d.sum.credits+1, d.sum.back+cents
	}
	if kind := r.Kind(); kind == tape.CreditContra || kind == tape.DebitContra {
		d.sum.contras++
	}
}

func (d *debits) debit(line sheet.Row, r tape.Record) sheet.Row {
	cells := make([]string, len(tapeColumns))
	row := sheet.Row{Number: line.Number, Cells: cells}
	cells[tapeReference], cells[tapeStatement] = contractIn(r.Get(tape.Reference)), oneBlank(r.Trimmed(tape.Reference))
	cells[tapeName], cells[tapeBranch] = oneBlank(r.Trimmed(tape.Name)), r.Trimmed(tape.HomingBranch)
	cells[tapeAccount] = r.Trimmed(tape.HomingAccount)
	if strings.Trim(cells[tapeAccount], "0") == "" {
		cells[tapeAccount] = r.Trimmed(tape.LongAccount)
		if strings.Trim(cells[tapeAccount], "0") == "" {
			cells[tapeAccount] = ""
		}
	}
	cells[tapeAccount] = unfilled(cells[tapeBranch], cells[tapeAccount])
	kind := r.Trimmed(tape.Type)
	if cells[tapeType] = tapeTypes[kind]; cells[tapeType] == "" {
		cells[tapeType] = kind
	}
	if cents, ok := whole(r.Trimmed(tape.Amount)); ok {
		cells[tapeAmount] = money.Plain(cents)
	} else {
		unfit(&row, tapeAmount, "the amount is not a number of cents")
	}
	text := r.Get(tape.Action)
	if day := tape.Day(text); !day.IsZero() {
		cells[tapeDay] = day.String()
	} else if strings.Trim(text, "0 ") != "" {
		unfit(&row, tapeDay, "the action date is not a day")
	}
	cells[tapeClass], cells[tapeUser] = r.Trimmed(tape.Class), r.Trimmed(tape.UserCode)
	return row
}

// trailer holds the totals of a user against what was read.
func (d *debits) trailer(r tape.Record) {
	if !d.inUser {
		d.Report.warn("The tape has a trailer without a user header.")
	}
	d.inUser = false
	said := func(f tape.Field) int64 { return tape.DigitsOf(r.Trimmed(f)) }
	d.Report.count("debits", said(tape.DebitCount), d.sum.debits)
	d.Report.count("credits", said(tape.CreditCount), d.sum.credits)
	d.Report.count("contras", said(tape.ContraCount), d.sum.contras)
	d.Report.cents("sum of debits", said(tape.DebitSum), d.sum.cents)
	d.Report.cents("sum of credits", said(tape.CreditSum), d.sum.back)
	hash := "the sum of all account numbers"
	d.Report.Sums = append(d.Report.Sums, Sum{"hash", hash, hash, said(tape.Hash) == d.sum.hash})
	if last := &d.Report.Sums[len(d.Report.Sums)-1]; !last.Agrees {
		last.Found = "another sum"
	}
}

func (d *debits) end() error {
	if d.test {
		d.Report.warn("The bank’s transmission marks this tape as a test.")
	}
	switch {
	case d.rows == 0:
		return refuse("empty_file", "The tape has no debits: records that begin with 50.")
	case len(d.Report.Sums) == 0:
		d.Report.warn("The tape has no trailer with totals: it may have been cut short.")
	case d.opened && !d.closed:
		d.Report.warn("The tape has no installation trailer: it may have been cut short.")
	}
	return nil
}

// unfilled takes away the zeros with which the form fills its places, but for those that the bank's numbers have.
func unfilled(branch, account string) string {
	short := strings.TrimLeft(account, "0")
	least := 0
	if of, _, known := bank.FindBranch(branch); known {
		least = min(of.MinDigits, len(account))
	}
	if !digits.MatchString(account) || short == "" || len(short) >= least {
		return short
	}
	return account[len(account)-least:]
}

func tapeTooLarge() error {
	return refuse("file_too_large", "%s", sheet.Large.TooLarge())
}

func oneBlank(text string) string { return strings.Join(strings.Fields(text), " ") }

var wholeReference = regexp.MustCompile(`^.{10}(.{14})\d{6}$`)

// contractIn takes the contract reference out of what a client sees on a statement: ten characters of the merchant's
// name, fourteen of the contract, and six of the date. What has another form is the reference.
func contractIn(reference string) string {
	reference = strings.TrimRight(reference, " ")
	if m := wholeReference.FindStringSubmatch(reference); m != nil && strings.TrimSpace(m[1]) != "" {
		return strings.TrimSpace(m[1])
	}
	return oneBlank(reference)
}
