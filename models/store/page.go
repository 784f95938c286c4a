package store

import (
	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/paging"
)

// beside gives a list the order and the bounds of one page by its id column.
func beside(list *gorm.DB, ask paging.Ask) *gorm.DB {
	switch {
	case ask.From == uuid.Nil:
		list = list.Order("id DESC")
	case ask.Newer:
		list = list.Where("id > ?", ask.From).Order("id ASC")
	default:
		list = list.Where("id < ?", ask.From).Order("id DESC")
	}
	return list.Limit(ask.Fetch())
}
