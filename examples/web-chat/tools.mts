import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool } from 'longhaul';
import { z } from 'zod';

/** So that one can see a call while it runs. */
const searchMs = 1_500;

const city = z.string().describe('The city to go to.');
const euros = z.number().positive().describe('The price in all.');

const findTrains = defineTool({
  name: 'find_trains',
  description: 'Finds the trains to a city, with their prices.',
  effect: 'read',
  inputSchema: z.object({ city }),
  execute: async ({ city }, { signal }) => {
    await sleep(searchMs, undefined, { signal });
    return [
      { train: `7:04 to ${city}, one change`, euros: 79 },
      { train: `8:30 to ${city}, direct`, euros: 129 },
    ];
  },
});

/** Whoever may see the run decides: here the traveller, in the chat. */
const bookTrain = defineTool({
  name: 'book_train',
  description: 'Books a seat.',
  effect: 'once',
  needsApproval: true,
  inputSchema: z.object({ train: z.string(), seat: z.enum(['window', 'aisle']), euros }),
  execute: ({ train, seat, euros }) => ({ booked: train, seat, euros }),
});

/** A manager decides, who is not the traveller: the inbox shows it. */
const bookHotel = defineTool({
  name: 'book_hotel',
  description: 'Books a room.',
  effect: 'once',
  needsApproval: {
    by: { roles: ['manager'], not: ['requester'] },
    show: ({ city, nights, euros }) => `A room in ${city}, ${nights} nights, ${euros} euros.`,
  },
  inputSchema: z.object({ city, nights: z.int().positive(), euros }),
  execute: ({ city, nights, euros }) => ({ booked: city, nights, euros }),
});

export const travelTools = [findTrains, bookTrain, bookHotel];
