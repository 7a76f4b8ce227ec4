// Talks to engines with @sabaki/gtp, the client library of the Sabaki interface; one line of JSON tells what it heard.
// node sabaki.js session|referee '{"engines": [["program", "argument", …], …], …}'

const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

const TALKS = {session, referee}

async function session({engines: [[program, ...args]]}) {
  const controller = new Controller(program, args)
  const tracker = new ControllerStateTracker(controller)
  const ask = (name, ...words) => controller.sendCommand({name, args: words})
  controller.start()
  const hello = await Promise.all(['name', 'version', 'protocol_version', 'list_commands'].map(name => ask(name)))
  await tracker.sync({
    komi: 3.5,
    boardsize: [7, 7],
    history: [
      {name: 'set_free_handicap', args: ['C3', 'E5']},
      {name: 'play', args: ['W', 'D4']},
      {name: 'play', args: ['B', 'D3']},
      {name: 'play', args: ['B', 'E4']},
    ],
  })
  const synced = await ask('showboard')
  await tracker.sync({history: tracker.state.history.slice(0, 2)})
  const undone = await ask('showboard')

  const analyses = []
  let seen
  const enough = new Promise(resolve => (seen = resolve))
  const analysis = controller.sendCommand({name: 'kata-analyze', args: ['B', '2']}, ({line}) => {
    if (analyses.push(line) > 3) seen()
  })
  await enough
  const busy = controller.busy
  const [ended, next] = await Promise.all([analysis, ask('protocol_version')])

  const lines = []
  const generated = await controller.sendCommand({id: 41, name: 'genmove_analyze', args: ['B', '1']}, ({line}) =>
    lines.push(line)
  )
  const wrong = await Promise.all([ask('play', 'b', 'Z9'), ask('play', 'b', 'D4'), ask('nonsense')])
  const history = tracker.state.history
  const stopped = new Promise(resolve => controller.on('stopped', resolve))
  await controller.stop()
  await stopped
  return {hello, synced, undone, analyses, busy, ended, next, lines, generated, wrong, history}
}

async function referee({engines, size, komi, plies}) {
  const players = engines.map(([program, ...args]) => new Controller(program, args))
  const ask = async (player, name, ...words) => {
    const {content, error} = await player.sendCommand({name, args: words.map(String)})
    if (error) throw new Error(`${player.path}: ${name} ${words.join(' ')}: ${content}`)
    return content
  }
  for (const player of players) {
    player.start()
    await ask(player, 'boardsize', size)
    await ask(player, 'clear_board')
    await ask(player, 'komi', komi)
  }
  const moves = []
  while (moves.length < plies && !moves.slice(-1).includes('resign') && moves.slice(-2).join() !== 'pass,pass') {
    const colour = ['black', 'white'][moves.length % 2]
    const [mover, other] = moves.length % 2 ? [players[1], players[0]] : players
    const move = (await ask(mover, 'genmove', colour)).toLowerCase()
    if (move !== 'resign') await ask(other, 'play', colour, move)
    moves.push(move)
  }
  const scores = await Promise.all(players.map(player => ask(player, 'final_score')))
  const boards = await Promise.all(players.map(player => ask(player, 'showboard')))
  await Promise.all(players.map(player => player.stop()))
  return {moves, scores, boards}
}

TALKS[process.argv[2]](JSON.parse(process.argv[3])).then(
  heard => console.log(JSON.stringify(heard)),
  error => {
    console.error(error)
    process.exit(1)
  }
)
