// Checks Collecting.tla, and with --traces FILE writes random traces of it for the test that replays them:
//   npm install --no-save --ignore-scripts tla-checker@0.9.0
//   node check.mjs --traces ../../models/plan/tests/testdata/collecting.txt
import fs from 'node:fs'
import { initSync, check_spec_with_cfg, explore_init, explore_next } from 'tla-checker'

const here = name => new URL(name, import.meta.url)
initSync({ module: fs.readFileSync(here('node_modules/tla-checker/tla_checker_bg.wasm')) })
const spec = fs.readFileSync(here('Collecting.tla'), 'utf8')
const cfg = fs.readFileSync(here('Collecting.cfg'), 'utf8')

const cycles = Number(/MaxCycle = (\d+)/.exec(cfg)[1])
const most = { states: 5_000_000, depth: 1000 }
const found = JSON.parse(check_spec_with_cfg(spec, cfg, '{}', most.states, most.depth, true, false))
console.log(`${found.states_explored} states`, found.warnings)
if (!found.success) {
  console.error(found.error_type, found.error_message, JSON.stringify(found.trace, null, 1))
  process.exit(1)
}

// mulberry32: the same seed gives the same traces everywhere.
let seed = 33
const luck = n => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) % n
}

// One state: cycle, phase, mandate, stopped, unpaid in a row, purchase, run, its steps that are over, debits, and one
// thing that staff may not do now. What only the bounds of the model forbid is not among that.
const line = (s, acts) => {
  const owed = s.purchase === 'open' || s.purchase === 'failed'
  const bound = s.cycle === cycles && (s.phase === 'bank' || s.phase === 'back')
  const no = ['Charge', 'Cancel', 'MarkPaid', 'Promise', 'EndPlan'].filter(a => !acts.has(a) &&
    !(a === 'Promise' && owed) && !(a === 'Charge' && bound))
  return [s.cycle, s.phase, s.mandate, s.stopped ? 'stopped' : 'free', s.inRow, s.purchase, s.run, s.step,
    s.debits.__tuple.map(d => `${d.st}/${d.due}`).join(',') || '-', no.length ? no[luck(no.length)] : '-'].join(' ')
}

// Two steps are of one kind when the same is done, and the mandate, the newest debit, the purchase and the run of the
// plan stand alike.
const kind = (act, s) => [act, s.mandate, s.stopped, s.debits.__tuple.at(-1)?.st, s.purchase, s.run].join(' ')

const traces = 240

// Every state by its text, with its steps, and the step by which it was reached first.
const explored = () => {
  const states = new Map()
  const first = JSON.parse(explore_init(spec, cfg, '{}')).states[0].json
  const queue = [{ key: JSON.stringify(first), is: first, depth: 0 }]
  states.set(queue[0].key, queue[0])
  for (const s of queue) {
    const all = JSON.parse(explore_next(spec, cfg, '{}', s.key))
    if (!all.ok) throw new Error(all.error)
    s.next = all.transitions.filter(t => t.action).map(t => {
      const key = JSON.stringify(t.state.json)
      if (!states.has(key)) {
        states.set(key, { key, is: t.state.json, depth: s.depth + 1, from: s, by: t.action })
        queue.push(states.get(key))
      }
      return { act: t.action, from: s, to: states.get(key), kind: kind(t.action, s.is) }
    })
  }
  return queue
}

// Each trace goes to a step of a kind that none showed before, and on from there at random.
const trace = (goal, length) => {
  const steps = [goal]
  for (let s = goal.from; s.from; s = s.from) steps.unshift({ act: s.by, to: s, kind: kind(s.by, s.from.is) })
  for (let at = goal.to; steps.length < length && at.next.length; at = steps.at(-1).to) {
    const fresh = at.next.filter(t => !done.has(t.kind))
    const some = fresh.length ? fresh : at.next
    steps.push(some[luck(some.length)])
  }
  return steps
}
const done = new Set()

const to = process.argv.indexOf('--traces')
if (to > 0) {
  const states = explored()
  const kinds = new Map()
  for (const t of states.flatMap(s => s.next)) kinds.set(t.kind, [...kinds.get(t.kind) ?? [], t])
  const out = []
  for (let n = 1; n <= traces; n++) {
    const fresh = [...kinds.keys()].filter(k => !done.has(k))
    const some = kinds.get(fresh.length ? fresh[luck(fresh.length)] : [...kinds.keys()][luck(kinds.size)])
    out.push(`trace ${n}`)
    for (const t of trace(some[luck(some.length)], 12)) {
      done.add(t.kind)
      out.push(`${t.act} -> ${line(t.to.is, new Set(t.to.next.map(t => t.act)))}`)
    }
  }
  fs.writeFileSync(process.argv[to + 1], out.join('\n') + '\n')
  console.log(`${states.length} states, ${kinds.size} kinds of step, of which the traces show ${done.size}`)
}
