// Starts an agent and writes down both sides of what is said, a message a line:
// node recorder.mjs <file> <program> [argument…]
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [file, program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });

/** Calls back with each line that is JSON. */
function messagesOf(stream, from) {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines.filter((each) => each.startsWith('{'))) {
      appendFileSync(file, `${JSON.stringify({ from, message: JSON.parse(line) })}\n`);
    }
  });
}

messagesOf(process.stdin, 'client');
messagesOf(child.stdout, 'agent');
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on('exit', (code) => process.exit(code ?? 1));
