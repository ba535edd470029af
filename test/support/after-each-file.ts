import { afterAll } from 'vitest';
import { endServers } from './recording-server.ts';
import { removeHomes } from './run-frontdesk.ts';

// Where files share a process, the modules register this for the first of them alone.
afterAll(endServers);
afterAll(removeHomes);
