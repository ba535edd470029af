/** Only the client is loaded: undici's entry file pulls in fetch, caches and mocks, which cost start-up time. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export = Client;
}
