/**
 * Server-sent events over `fetch`, because `EventSource` cannot send an API key.
 */

import { call } from "./api.js";

/** Incremental parser of an event stream (HTML Living Standard, 9.2.6). */
export class EventParser {
  #rest = "";

  /**
   * @param {string} text the next chunk
   * @returns {{event: string, data: string}[]} the events completed by it
   */
  push(text) {
    const whole = this.#rest + text;
    // A CR at the end may be the first half of a CRLF.
    const held = whole.endsWith("\r") ? 1 : 0;
    const blocks = whole.slice(0, whole.length - held).replace(/\r\n?/g, "\n").split("\n\n");
    this.#rest = blocks.pop() + (held ? "\r" : "");
    return blocks.map(eventOf).filter((event) => event !== null);
  }
}

function eventOf(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") event = value;
    if (name === "data") data.push(value);
  }
  return data.length ? { event, data: data.join("\n") } : null;
}

/**
 * Follow a job until it ends. Reconnects if the stream breaks before that.
 * @param {string} job
 * @param {(info: any) => void} onChange
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} the ended job
 */
export async function followJob(job, onChange, signal) {
  for (let failures = 0; ; ) {
    try {
      const ended = await followOnce(job, (info) => {
        failures = 0;
        onChange(info);
      }, signal);
      if (ended) return ended;
    } catch (error) {
      if (signal?.aborted || (error.status >= 400 && error.status < 500)) throw error;
      if (failures >= 5) throw error;
    }
    failures += 1;
    await new Promise((resolve) => setTimeout(resolve, 500 * failures));
  }
}

async function followOnce(job, onChange, signal) {
  const response = await call(`jobs/${job}/events`, { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return null;
    for (const { event, data } of parser.push(value)) {
      const info = JSON.parse(data);
      onChange(info);
      if (event === "end") return info;
    }
  }
}
