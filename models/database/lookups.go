package database

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database/internal/wire"
	"debitdesk/models/database/table"
)

// Lookups finds records of one kind by their keys. What many ask for at the same moment is one question, which begins
// after each of them has asked.
type Lookups[K comparable, V any] struct{ loader wire.Loader[K, V] }

// Find gives what is found for one key. find asks for several keys and gives what it found for each of them, in their
// order.
func (l *Lookups[K, V]) Find(ctx context.Context, key K,
	find func(ctx context.Context, keys []K) ([]V, error)) (none V, err error) {
	if TxOf(ctx) == nil && standbyOf(ctx) == nil && pipelineOf(ctx) == nil {
		return l.loader.Load(ctx, key, find)
	}
	found, err := find(ctx, []K{key}) // by the connection, the server or the round trip of the context
	if err != nil {
		return none, err
	}
	return found[0], nil
}

// Key names a record of a merchant.
type Key struct{ MerchantID, ID uuid.UUID }

// FromKeys begins a query about the records of several keys, which are the values that KeyArrays gives. The lists stand
// in queries of their own, so that the planner never counts them: it would plan anew for each number of keys.
const FromKeys = "unnest((SELECT $1::uuid[]), (SELECT $2::uuid[])) " +
	"WITH ORDINALITY AS keys (key_merchant, key_id, key_order)"

// KeyArrays are the values of a query about the records of keys.
func KeyArrays(keys []Key) []any {
	merchants, ids := make([]uuid.UUID, len(keys)), make([]uuid.UUID, len(keys))
	for i, k := range keys {
		merchants[i], ids[i] = k.MerchantID, k.ID
	}
	return []any{merchants, ids}
}

// ByKey reads one record of a merchant, as One does. What many read at the same moment is one question.
func ByKey[T any](ctx context.Context, s *DB, from *table.Table[T], key Key, keyOf func(T) Key,
	also string) (record T, err error) {
	found, err := Kept[Lookups[Key, []T]](s).Find(ctx, key, func(ctx context.Context, keys []Key) ([][]T, error) {
		if len(keys) == 1 {
			rows, err := All(ctx, s, from, "merchant_id = $1 AND id = $2"+also, keys[0].MerchantID, keys[0].ID)
			return [][]T{rows}, err
		}
		rows, err := Collect(ctx, s, from, "SELECT "+from.Columns("")+" FROM "+FromKeys+" JOIN "+from.Name+
			" ON merchant_id = key_merchant AND id = key_id"+also+" ORDER BY key_order", KeyArrays(keys))
		return PerKey(keys, rows, keyOf), err
	})
	return First(found, err)
}

// PerKey sorts records by the keys that found them, at most one for each: a key that is there twice gets two records.
func PerKey[K comparable, T any](keys []K, found []T, keyOf func(T) K) [][]T {
	byKey := make(map[K][]T, len(found))
	for _, record := range found {
		byKey[keyOf(record)] = append(byKey[keyOf(record)], record)
	}
	out := make([][]T, len(keys))
	for i, key := range keys {
		if left := byKey[key]; len(left) > 0 {
			out[i], byKey[key] = left[:1], left[1:]
		}
	}
	return out
}

// CollectBoth reads records of two tables by one list of values, in one round trip.
func CollectBoth[A, B any](ctx context.Context, s *DB, a *table.Table[A], queryA string, b *table.Table[B],
	queryB string, args ...any) (as []A, bs []B, err error) {
	err = s.Pool.send(ctx, s.Pool.on(ctx), into(&as, s, a, queryA, args), into(&bs, s, b, queryB, args))
	return as, bs, err
}
