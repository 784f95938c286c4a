-- +goose Up
-- The price of a template from a date on: {"from", "products", "cents", …}. Until then the template's own price holds;
-- once it is the template's, "was" is the price of the periods before.
ALTER TABLE billing_templates ADD COLUMN price_change jsonb;
CREATE INDEX billing_templates_to_price ON billing_templates ((price_change ->> 'from'))
    WHERE price_change ->> 'applied' = 'false' AND deleted_at IS NULL;
CREATE TRIGGER judge_price_change AFTER UPDATE ON billing_templates FOR EACH ROW
    WHEN (OLD.price_change IS DISTINCT FROM NEW.price_change) EXECUTE FUNCTION judge_subscribers_of_template();

-- +goose Down
DROP TRIGGER judge_price_change ON billing_templates;
DROP INDEX billing_templates_to_price;
ALTER TABLE billing_templates DROP COLUMN price_change;
