package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// At is the field of a step in a form and in what is wrong with it.
func At(b Branch, i int) string { return fmt.Sprintf("%s.%d", b, i) }

const (
	mostHeldOut = 5000 // basis points
	longestWait = 60
	longestTask = 200
)

// check finds all that is wrong with a plan at once. A step that could never act after a reason of its class is
// refused, and so is one after which nothing follows.
func (s *Service) check(in *Input) fault.Problems {
	wrong := in.Wrong
	name(in, &wrong)
	some := false
	for _, b := range Branches {
		list := in.Steps[b]
		some = some || len(list) > 0
		if len(list) > most {
			wrong.Add(At(b, most), "max_length", "A plan has at most %d steps for one class of reason.", most)
		}
		for i := range list {
			checkStep(&wrong, b, list, i)
			if at := At(b, i); list[i].Channel != ByMail && !s.Purchases.Texts.Ready() && !wrong.Has(at) {
				wrong.Add(at, "never", "SMS are not set up here. Choose a reminder by mail.")
			}
		}
	}
	if in.HoldOut < 0 || in.HoldOut > mostHeldOut {
		wrong.Add("hold_out", "invalid", "Enter a share from 0 to %d %%.", mostHeldOut/100)
	}
	if !some && len(wrong) == 0 {
		wrong.Add(fault.All, "required", "Choose at least one step.")
	}
	return wrong
}

func checkStep(wrong *fault.Problems, b Branch, list []Step, i int) {
	step, at := &list[i], At(b, i)
	step.Text = strings.TrimSpace(step.Text)
	switch k := step.Kind; {
	case wrong.Has(at):
	case k.Label() == string(k):
		wrong.Add(at, "invalid_choice", "Choose what this step does.")
	case !Offered(k, b):
		wrong.Add(at, "never", "“%s” can never follow %s. Remove this step.", k.Label(), b.Label())
	case i > 0 && list[i-1].Kind == Stop:
		wrong.Add(at, "never", "Nothing follows after “%s”. Remove this step, or the one before.", Stop.Label())
	case (k == WaitDays || k == WaitBusiness) && (step.N < 1 || step.N > longestWait):
		wrong.Add(at, "invalid", "Enter how many days, from 1 to %d.", longestWait)
	case (k == WaitPayDay || k == WaitLikely) && (step.N < 1 || step.N > lastDay):
		wrong.Add(at, "invalid", "Enter the day of the month, from 1 to 31. 31 is its last business day.")
	case k.Waits() && i == len(list)-1:
		wrong.Add(at, "never", "Nothing follows after this wait. Add a step, or remove the wait.")
	case utf8.RuneCountInString(step.Text) > longestTask:
		wrong.Add(at, "max_length", "What the person is to do has at most %d characters.", longestTask)
	}
	if k := step.Kind; k != Task {
		step.Text = ""
	}
	if k := step.Kind; k != Message || !slices.Contains(Channels, step.Channel) {
		step.Channel = ByMail
	}
	if k := step.Kind; !k.Waits() {
		step.N = 0
	}
}

// Note says of a plan what a method of debiting never lets happen, though another one may.
func (s *Service) Notes(steps Steps) (notes []string) {
	debits := 0
	for _, step := range steps[Money] {
		if step.Kind == DebitAgain {
			debits++
		}
	}
	today := calendar.DateOf(s.Now())
	if limit := s.Timetable.For(bank.EFT).SoftLimit(today); limit > 0 && debits >= limit {
		notes = append(notes, fmt.Sprintf("EFT: %d failed debits in a row end the mandate (eft.unpaid_in_row_ends), so only "+
			"%d of the %d steps “%s” can run.", limit, limit-1, debits, DebitAgain.Label()))
	}
	return notes
}
