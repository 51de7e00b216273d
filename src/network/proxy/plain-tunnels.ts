import type { Socket } from 'node:net';
import type { Target } from '../reach/target.ts';
import { attend } from '../server/attend.ts';
import { boundedServer } from '../server/bounded-server.ts';
import { type ProxyOptions, passOn } from './proxy.ts';

/**
 * Serves the requests in a tunnel for plain HTTP. Each goes to the host of the tunnel by name: whoever serves
 * that host may serve others too, and by itself the Host header would decide which.
 */
export function plainTunnels(through: ProxyOptions): (program: Socket, target: Target) => void {
  const targets = new WeakMap<Socket, Target>();
  const { server } = boundedServer({
    request: (request, response) => {
      const { host, port } = targets.get(request.socket) ?? { host: '', port: 0 };
      const path = request.url?.startsWith('/') ? request.url : '/';
      const address = `http://${host}:${port}${path}`;
      attend(request.socket, () => passOn(request, response, { ...through, address }));
    },
  });
  return (program, target) => {
    targets.set(program, target);
    program.setTimeout(through.idleMs, () => program.destroy());
    server.emit('connection', program);
  };
}
