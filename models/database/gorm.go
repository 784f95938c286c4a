package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/schema"

	"debitdesk/models/database/internal/wire"
	"debitdesk/models/fault"
)

// plugin is what this product adds to GORM, in GORM's own terms: callbacks around each statement. Ordinary rows are
// read and written by GORM and nothing else:
//
//	s.Gorm(ctx).Scopes(OfMerchant(id)).Where("owner_id = ?", owner).Find(&reports)
//	tx.Gorm().Create(&report)
//	OneRow(tx.Gorm().Model(&r).Scopes(OfMerchant(id)).Where("state = ?", was).Select("state").UpdateColumns(r))
//
// What waits in a unit of work is written before the statement, so that it sees it, and the unit notes that it wrote. A
// statement on a table with a merchant that names no merchant is refused. A record that is not there is fault.Missing;
// all other errors are the driver's, with the name of the constraint. The zero time and the zero id of a field without
// "not null" are NULL, and so is each zero value of one with "default:null".
type plugin struct {
	db    *DB
	mu    sync.Mutex
	known map[*schema.Schema]bool // whose fields write their zero values as NULL
}

var _ gorm.Plugin = (*plugin)(nil)

// Name implements gorm.Plugin.
func (*plugin) Name() string { return "debitdesk" }

// Initialize implements gorm.Plugin.
//
//nolint:misspell // the name is GORM's
func (p *plugin) Initialize(db *gorm.DB) error {
	c := db.Callback()
	const before, after = "debitdesk:before", "debitdesk:after"
	return errors.Join(
		c.Query().Before("gorm:query").Register(before, p.prepare),
		c.Query().Replace("gorm:query", p.query),
		c.Query().After("gorm:after_query").Register(after, p.wasRead),
		c.Row().Before("gorm:row").Register(before, p.reading),
		c.Row().After("gorm:row").Register(after, p.wasRead),
		c.Create().Before("gorm:before_create").Register(before, p.writing),
		c.Create().After("gorm:after_create").Register(after, p.wasWritten),
		c.Update().Before("gorm:before_update").Register(before, p.writing),
		c.Update().After("gorm:after_update").Register(after, p.wasWritten),
		c.Delete().Before("gorm:before_delete").Register(before, p.writing),
		c.Delete().After("gorm:after_delete").Register(after, p.wasWritten),
		c.Raw().Before("gorm:raw").Register(before, p.writing),
		c.Raw().After("gorm:raw").Register(after, p.wasWritten),
	)
}

// query asks by itself; or with others whose round trip the context shares (AtOnce), with what is set for it alone, or
// of the standby, and of the primary where that fails.
func (p *plugin) query(db *gorm.DB) {
	ctx := db.Statement.Context
	set, isSet := db.Get(settingKey)
	if TxOf(ctx) != nil || pipelineOf(ctx) == nil && standbyOf(ctx) == nil && !isSet || db.DryRun || db.Error != nil {
		callbacks.Query(db)
		return
	}
	callbacks.BuildQuerySQL(db)
	if db.Error != nil {
		return
	}
	read := func(rows pgx.Rows) error {
		if err := rows.Err(); err != nil { // there are no rows that GORM could look at
			return err
		}
		gorm.Scan(mappedRows{rows}, db, 0)
		return rows.Err()
	}
	asked := []wire.Query{{SQL: db.Statement.SQL.String(), Args: Native(db.Statement.Vars), Rows: read}}
	if set, is := set.(planSetting); is {
		asked = slices.Insert(asked, 0, wire.Setting(set.name, set.value))
		if pipelineOf(ctx) != nil { // what others ask is asked as before
			asked = append(asked, wire.Setting(set.name, set.before))
		}
	}
	_, err := orPrimary(ctx, func(ctx context.Context) (none []struct{}, _ error) {
		db.Error = nil
		return none, p.db.Pool.send(ctx, p.db.Pool.reads(ctx), asked...)
	})
	if err != nil && db.Error == nil {
		_ = db.AddError(err)
	}
}

// mappedRows are rows of pgx as GORM reads them.
type mappedRows struct{ pgx.Rows }

var _ gorm.Rows = mappedRows{}

// Columns implements gorm.Rows.
func (r mappedRows) Columns() ([]string, error) {
	var names []string
	for _, d := range r.FieldDescriptions() {
		names = append(names, d.Name)
	}
	return names, nil
}

// Scan implements gorm.Rows. Of a column that is no field of the record, GORM would take the bytes, which pgx has not
// for each type.
func (r mappedRows) Scan(into ...any) error {
	for i := range into {
		if _, unknown := into[i].(*sql.RawBytes); unknown {
			into[i] = nil
		}
	}
	return r.Rows.Scan(into...)
}

// ColumnTypes implements gorm.Rows; records need none.
func (mappedRows) ColumnTypes() ([]*sql.ColumnType, error) { return nil, nil }

// Close implements gorm.Rows.
func (r mappedRows) Close() error {
	r.Rows.Close()
	return r.Err()
}

// separateKey marks a query that goes by itself while other readers share a pipeline.
const separateKey = "debitdesk:separate"

// reading comes before a query in SQL, which shares no round trip: a reader in a pipeline (AtOnce) that sends one keeps
// no other reader waiting.
func (p *plugin) reading(db *gorm.DB) {
	p.prepare(db)
	if r := pipelineOf(db.Statement.Context); r != nil && db.Error == nil && !db.DryRun {
		db.InstanceSet(separateKey, r)
		r.Waits()
	}
}

func (p *plugin) wasRead(db *gorm.DB) {
	if r, is := db.InstanceGet(separateKey); is {
		r.(*wire.Pipeline).GoesOn()
	}
	if errors.Is(db.Error, gorm.ErrRecordNotFound) {
		db.Error = fault.Missing()
	}
}

// wasWritten notes that something is to be told once the transaction is done, or now where there is none.
func (p *plugin) wasWritten(db *gorm.DB) {
	if db.Error != nil || db.RowsAffected == 0 || db.DryRun {
		return
	}
	if t := TxOf(db.Statement.Context); t != nil {
		t.wrote = true
	} else if p.db.Pool.wrote != nil {
		p.db.Pool.wrote()
	}
}

// writing comes before a change, which no standby takes.
func (p *plugin) writing(db *gorm.DB) {
	if ctx := db.Statement.Context; standbyOf(ctx) != nil && TxOf(ctx) == nil {
		db.Statement.ConnPool = p.db.sql
	}
	p.prepare(db)
}

func (p *plugin) prepare(db *gorm.DB) {
	if db.DryRun {
		return
	}
	if t := TxOf(db.Statement.Context); t != nil {
		if err := t.begin(); err != nil {
			_ = db.AddError(err)
			return
		}
	}
	s := db.Statement.Schema
	if s == nil {
		return
	}
	p.zeroIsNull(s)
	if s.LookUpField("merchant_id") != nil && !namesMerchant(db) {
		_ = db.AddError(fmt.Errorf("a statement on %s names no merchant", s.Table))
	}
}

// zeroIsNull has fields that may be NULL write their zero value as NULL, and bytes that may not be as none; in a record
// both are the same.
func (p *plugin) zeroIsNull(s *schema.Schema) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[s] {
		return
	}
	p.known[s] = true
	for _, field := range s.Fields {
		var stored any // of the zero value
		switch of := field.FieldType; {
		case field.NotNull && of == reflect.TypeFor[[]byte]():
			stored = []byte{}
		case field.NotNull || field.PrimaryKey || of != reflect.TypeFor[time.Time]() && of != reflect.TypeFor[uuid.UUID]() &&
			field.DefaultValue != "null":
			continue
		}
		value := field.ValueOf
		field.ValueOf = func(ctx context.Context, record reflect.Value) (any, bool) {
			v, zero := value(ctx, record)
			if zero {
				v = stored
			}
			return v, zero
		}
	}
}
