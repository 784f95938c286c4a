package store

import (
	"encoding/json"
	"fmt"
	"reflect"

	"gorm.io/gorm/schema"

	"debitdesk/models/bank"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// Snapshot reads what an event kept of a purchase, and the refund when the event is
// about one. The numbers of the payer are their masks.
func (s *Store) Snapshot(kept []byte) (rec purchase.Record, refund *purchase.Refund, err error) {
	var parts struct {
		Purchase, Brand, Collection, Refund json.RawMessage
		Profiles                            []json.RawMessage
	}
	if err := json.Unmarshal(kept, &parts); err != nil {
		return rec, nil, fmt.Errorf("read snapshot: %w", err)
	}
	bought, err := rowFromJSON[purchaseRow](s, parts.Purchase)
	if err != nil {
		return rec, nil, err
	}
	if rec.Purchase, err = s.purchaseOf(bought); err != nil {
		return rec, nil, err
	}
	brand, err := rowFromJSON[brandRow](s, parts.Brand)
	if err != nil {
		return rec, nil, err
	}
	rec.Brand = brand.domain()
	rec.Brand.IsTest = rec.Purchase.IsTest
	for _, raw := range parts.Profiles {
		profile, err := rowFromJSON[profileRow](s, raw)
		if err != nil {
			return rec, nil, err
		}
		rec.Brand.Profiles = append(rec.Brand.Profiles, profile.domain())
	}
	if given(parts.Collection) {
		row, err := rowFromJSON[collectionRow](s, parts.Collection)
		if err != nil {
			return rec, nil, err
		}
		collected := row.domain()
		rec.Collection = &collected
	}
	if given(parts.Refund) {
		row, err := rowFromJSON[refundRow](s, parts.Refund)
		if err != nil {
			return rec, nil, err
		}
		back := row.domain()
		refund = &back
	}
	return rec, refund, nil
}

// SubscriberSnapshot reads what an event kept of a subscriber, with the masks of its numbers.
func (s *Store) SubscriberSnapshot(kept []byte) (subscription.Subscriber, error) {
	var parts struct {
		Subscriber json.RawMessage
		Client     struct {
			Name  string `json:"full_name"`
			Email string
		}
	}
	if err := json.Unmarshal(kept, &parts); err != nil {
		return subscription.Subscriber{}, fmt.Errorf("read snapshot: %w", err)
	}
	row, err := rowFromJSON[subscriberRow](s, parts.Subscriber)
	if err != nil {
		return subscription.Subscriber{}, err
	}
	x, err := s.subscriberOf(row)
	if err != nil {
		return x, err
	}
	var masks map[string]any
	if err := json.Unmarshal([]byte(row.Debit), &masks); err != nil {
		return x, fmt.Errorf("read snapshot: %w", err)
	}
	account, _ := masks[debtorAccount].(string)
	identity, _ := masks[debtorID].(string)
	x.Debit.DebtorAccount, x.Debit.DebtorID = bank.AccountNumber(account), bank.IDNumber(identity)
	x.ClientName, x.ClientEmail = parts.Client.Name, parts.Client.Email
	return x, nil
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// rowFromJSON reads a row that PostgreSQL wrote with to_jsonb. A column that it does
// not have, since the event is older than the column, keeps its zero value; a column
// of JSON is the text that a query would give.
func rowFromJSON[T any](s *Store, raw []byte) (row T, err error) {
	model, err := schema.Parse(&row, &models, s.db.NamingStrategy)
	if err != nil {
		return row, fmt.Errorf("model %T: %w", row, err)
	}
	var columns map[string]json.RawMessage
	if err := json.Unmarshal(raw, &columns); err != nil {
		return row, fmt.Errorf("read %T: %w", row, err)
	}
	value := reflect.ValueOf(&row).Elem()
	for _, f := range model.Fields {
		column, ok := columns[f.DBName]
		if f.DBName == "" || !ok || !given(column) {
			continue
		}
		into := value.FieldByIndex(f.StructField.Index)
		text := string(column)
		if kind := f.IndirectFieldType.Kind(); kind == reflect.String && (text[0] == '{' || text[0] == '[') {
			if into.Kind() == reflect.Pointer {
				into.Set(reflect.ValueOf(&text))
			} else {
				into.SetString(text)
			}
			continue
		}
		if err := json.Unmarshal(column, into.Addr().Interface()); err != nil {
			return row, fmt.Errorf("read %T, column %s: %w", row, f.DBName, err)
		}
	}
	return row, nil
}
