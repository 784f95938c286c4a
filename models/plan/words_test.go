package plan_test

import (
	"testing"

	"debitdesk/models/calendar"
	"debitdesk/models/plan"
)

func TestAStepInFewWordsSaysHowLongItWaits(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]plan.Step{
		"Wait 20 days":        {Kind: plan.WaitDays, N: 20},
		"Wait 1 business day": {Kind: plan.WaitBusiness, N: 1},
		"Mail a reminder":     {Kind: plan.Message},
	} {
		if got := s.Short(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	o := plan.Outlook{Steps: []plan.Step{{Kind: plan.WaitDays, N: 20}}}
	if got := o.Done(plan.Taken{N: 1, Kind: plan.WaitDays}); got != "Wait 20 days" {
		t.Errorf("the step was %q", got)
	}
	// A step of another version is not known by its number.
	if o.Shift = 1; o.Done(plan.Taken{N: 1, Kind: plan.WaitDays}) != "Wait a number of days" {
		t.Error("the days of another version are named")
	}
}

func TestAPlanGoesOnByItselfUnlessAPersonHasIt(t *testing.T) {
	t.Parallel()
	day := calendar.On(2026, 12, 1)
	for name, c := range map[string]struct {
		plan plan.State
		run  plan.Run
		want bool
	}{
		"waits":              {plan.Active, plan.Run{State: plan.Waiting}, true},
		"paused":             {plan.Paused, plan.Run{State: plan.Waiting}, false},
		"for a promise":      {plan.Active, plan.Run{State: plan.Held, HeldFor: plan.ForPromise, HeldUntil: day}, true},
		"for a debit":        {plan.Active, plan.Run{State: plan.Held, HeldFor: plan.ForDebit}, false},
		"held":               {plan.Active, plan.Run{State: plan.Held, HeldFor: plan.ForPerson}, false},
		"held until a day":   {plan.Active, plan.Run{State: plan.Held, HeldFor: plan.ForPerson, HeldUntil: day}, true},
		"handed to a person": {plan.Active, plan.Run{State: plan.WithPerson}, false},
		"over":               {plan.Active, plan.Run{State: plan.Over}, false},
	} {
		if got := (plan.Outlook{Run: c.run, Plan: plan.Plan{State: c.plan}}).GoesOn(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
