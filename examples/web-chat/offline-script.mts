import { answer, calls, resultsOf, type Conversation, type Turn } from '../shared/script.mts';

/** What the scripted model says next: a long text about a city, a hotel, or a train that the traveller picks. */
export function nextTurn({ input, said, past }: Conversation): Turn {
  const city = said.map((text) => cityIn(text)).findLast((found) => found !== undefined);
  if (city === undefined) return answer('Where to?');
  if (/about/i.test(input)) return answer(guideTo(city));
  return /hotel|room/i.test(input) ? hotelTurn(city, { input, past }) : trainTurn(city, past);
}

function trainTurn(city: string, past: Conversation['past']): Turn {
  if (resultsOf(past, 'find_trains').length === 0)
    return calls(`Let me look for trains to ${city}.`, { name: 'find_trains', args: { city } });
  const [picked] = resultsOf(past, 'ask_user');
  if (picked === undefined) {
    const options = [`7:04 to ${city}, one change`, `8:30 to ${city}, direct`];
    const args = { question: 'Which train shall I take?', options };
    return calls('There are two good ones.', { name: 'ask_user', args });
  }
  const [booked] = resultsOf(past, 'book_train');
  if (booked === undefined) {
    const euros = picked.includes('direct') ? 129 : 79;
    const args = { train: picked, seat: 'window', euros };
    return calls('I book it as soon as you approve.', { name: 'book_train', args });
  }
  const [, seat] = /"seat":"(\w+)"/.exec(booked) ?? [];
  if (seat === undefined) return answer(`Nothing is booked: ${booked}`);
  return answer(`Your seat at the ${seat} is booked: ${picked}. Have a good trip!`);
}

function hotelTurn(city: string, { input, past }: Pick<Conversation, 'input' | 'past'>): Turn {
  const nights = Number(/\d+/.exec(input)?.[0] ?? 2);
  const [booked] = resultsOf(past, 'book_hotel');
  if (booked === undefined) {
    const args = { city, nights, euros: nights * 140 };
    return calls('Your manager must approve the hotel.', { name: 'book_hotel', args });
  }
  const [, kept] = /"nights":(\d+)/.exec(booked) ?? [];
  if (kept === undefined) return answer(`Nothing is booked: ${booked}`);
  return answer(`Your room in ${city} is booked for ${kept} nights.`);
}

function cityIn(text: string): string | undefined {
  return /\b(?:to|in|about) ([A-Z]\w+)/.exec(text)?.[1];
}

/** Long enough to reload the page in the middle of it. */
function guideTo(city: string): string {
  const days = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].map(
    (day) =>
      `The ${day} day in ${city}: begin at the river, before it is full. Walk through the old town, and ask for the market that the ` +
      'people who live here go to. In the afternoon take a tram to its last stop and come back on foot. In the evening there is ' +
      'music in one of the courtyards.',
  );
  return [`Here is a week in ${city}.`, ...days, 'On the seventh day you rest.'].join('\n\n');
}
