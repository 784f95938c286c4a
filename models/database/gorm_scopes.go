package database

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"debitdesk/models/fault"
)

// OfMerchant is the scope of the records of one merchant.
func OfMerchant(id uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Where("merchant_id = ?", id) }
}

const acrossKey = "debitdesk:across merchants"

// AcrossMerchants is the scope of what serves all merchants, such as a sweep, or finds out whose a record is.
func AcrossMerchants(db *gorm.DB) *gorm.DB { return db.Set(acrossKey, true) }

// ForUpdate is the scope of records that this transaction keeps from others.
func ForUpdate(db *gorm.DB) *gorm.DB {
	return db.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
}

// ForNoKeyUpdate is ForUpdate for records that others may refer to meanwhile.
func ForNoKeyUpdate(db *gorm.DB) *gorm.DB {
	return db.Clauses(clause.Locking{Strength: "NO KEY UPDATE"})
}

// planSetting is what the planner is told for one question. In a unit of work it would last until its end, and nothing
// is set.
type planSetting struct{ name, value, before string }

const settingKey = "debitdesk:plan setting"

// GenericPlan is the scope of a question that is answered by the plan that serves all merchants: of a statement of many
// parts that reads little, making a plan for each page costs more than reading. No part of it may be answered well only
// for some values.
func GenericPlan(db *gorm.DB) *gorm.DB {
	return db.Set(settingKey, planSetting{"plan_cache_mode", "force_generic_plan", "auto"})
}

// Unsorted is the scope of a question that an index answers in its order: nothing is sorted where there is one.
func Unsorted(db *gorm.DB) *gorm.DB {
	return db.Set(settingKey, planSetting{"enable_sort", "off", "on"})
}

// OneRow is the error of a change that must find its one row: compare-and-set. fault.ErrLost when it found another
// state.
func OneRow(changed *gorm.DB) error {
	switch {
	case changed.Error != nil:
		return changed.Error
	case changed.RowsAffected != 1:
		return fault.ErrLost
	}
	return nil
}

// Earliest is the earliest moment that a column has in the records of a list; false when there are none.
func Earliest(of *gorm.DB, column string) (at time.Time, found bool, err error) {
	var first []time.Time
	if err = of.Order(column).Limit(1).Pluck(column, &first).Error; err != nil || len(first) == 0 {
		return at, false, err
	}
	return first[0], true, nil
}

// Columns names what is read of records of a type, for a SELECT from the alias, without the columns that are named: for
// a statement of many parts, which reads no more than it shows. No alias is empty.
func Columns[T any](alias string, without ...string) string {
	of, err := schema.Parse(new(T), &sync.Map{}, schema.NamingStrategy{})
	if err != nil {
		panic(fmt.Sprintf("columns of %T: %v", *new(T), err)) // a type that no statement could be about
	}
	if alias != "" {
		alias += "."
	}
	var names []string
	for _, f := range of.Fields {
		if f.DBName != "" && f.Readable && !f.IgnoreMigration && !slices.Contains(without, f.DBName) {
			names = append(names, alias+f.DBName)
		}
	}
	return strings.Join(names, ", ")
}

// Found tells whether a change found its one row.
func Found(changed *gorm.DB) (bool, error) { return changed.RowsAffected == 1, changed.Error }

// namesMerchant tells whether a statement is bound to a merchant: by a condition, by the records that it adds, or since
// it says that it crosses all of them.
func namesMerchant(db *gorm.DB) bool {
	if across, set := db.Get(acrossKey); set && across == true {
		return true
	}
	stmt := db.Statement
	if stmt.SQL.Len() > 0 { // it was written by hand
		return true
	}
	if where, ok := stmt.Clauses["WHERE"].Expression.(clause.Where); ok && anyNames(where.Exprs) {
		return true
	}
	return adds(db)
}

// anyNames tells whether one of several conditions, all of which hold, names a merchant.
func anyNames(of []clause.Expression) bool {
	alternative := func(e clause.Expression) bool { _, is := e.(clause.OrConditions); return is }
	if len(of) > 1 && slices.ContainsFunc(of, alternative) {
		return false
	}
	for _, e := range of {
		switch e := e.(type) {
		case clause.Expr:
			if strings.Contains(e.SQL, "merchant_id") {
				return true
			}
		case clause.NamedExpr:
			if strings.Contains(e.SQL, "merchant_id") {
				return true
			}
		case clause.AndConditions:
			if anyNames(e.Exprs) {
				return true
			}
		case clause.Eq:
			if column, ok := e.Column.(clause.Column); ok && column.Name == "merchant_id" || e.Column == "merchant_id" {
				return true
			}
		}
	}
	return false
}

// adds tells whether a statement adds records of which each has its merchant.
func adds(db *gorm.DB) bool {
	stmt := db.Statement
	if len(stmt.BuildClauses) == 0 || stmt.BuildClauses[0] != "INSERT" {
		return false
	}
	field, records := stmt.Schema.LookUpField("merchant_id"), stmt.ReflectValue
	has := func(record reflect.Value) bool {
		_, zero := field.ValueOf(stmt.Context, reflect.Indirect(record))
		return !zero
	}
	switch records.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range records.Len() {
			if !has(records.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		return has(records)
	default:
		return false
	}
}
