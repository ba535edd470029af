/** First and last names of the subscribers of each calendar. A minus means not active. */
const PEOPLE = {
  cal_harbour_tours:
    "Hannah Berg, Luis Ortega, 花子 山田, Amina Diallo, -Zoë Laurent, Piotr Nowak, ليلى حداد, Søren Ødegård, Maeve O'Connor, Ravi Patel, -Chloe Smith-Jones, Jürgen Groß, Ana Silva, -Tomas Novak, Ingrid Lund",
  cal_tea_ceremony: 'Kenji Sato, さくら 鈴木, -Nora Visser, Omar Haddad, Elena Rossi, -Mateo Gil',
  cal_winter_market: 'Freya Lind, Noah Weiss, -Ida Holm, Leo 🎄 Winter, Yara Costa',
};

function subscribers(): readonly string[] {
  const people = Object.entries(PEOPLE).flatMap(([calendar, names]) =>
    names.split(', ').map((name) => ({ calendar, name })),
  );
  return people.map(({ calendar, name }, index) => {
    const number = String(index + 1).padStart(2, '0');
    const [, minus, first, last] = /^(-?)(.*) (.*)$/.exec(name) ?? [];
    const time = `2025-01-${number}T10:00:00.000Z`;
    return `{"id":"sub_00${number}","calendar":"${calendar}","object":"subscriber","active":${minus === ''},
     "created":"${time}","updated":"${time}","email":"customer${number}@example.com","first_name":"${first}","last_name":"${last}"}`;
  });
}

/**
 * Three lines per card: ID, reference, status, initial and current balance, day of expiry, design, and of a cancelled
 * one how and with which amount; when it was created, updated and activated, and what followed the first load; its
 * metadata. Amounts are text, so that they keep their digits. Times are UTC.
 */
const CARDS = `0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 order-10001 ACTIVE 50.00 37.25 2031-03-31 classic-blue
2025-01-14T09:30:00 2025-02-02T17:45:12 2025-01-15T08:00:00; PURCHASE 12.75 2025-02-02T17:45:12
{"recipient":{"name":"Hannah Berg","email":"hannah.berg@example.com"},"campaign":"spring","giftWrapped":false}
1c8b7d2f-4063-4e9b-8d52-6f308ba1c202 order-10002 ACTIVE 100.10 100.10 2031-06-30 sakura
2025-02-01T10:00:00 2025-02-01T10:05:00 2025-02-01T10:05:00
{"recipient":{"name":"山田 花子","city":"東京"},"message":"お誕生日おめでとう","ledgerNumber":12345678901234567.89}
2d9c8e30-5174-4fac-9e63-70419cb2d303 order-10003 ACTIVE 25.00 0.00 2030-12-31 confetti
2025-02-10T12:00:00 2025-03-05T14:20:00 2025-02-11T07:15:00; PURCHASE 19.90 2025-02-20T16:00:00; PURCHASE 5.10 2025-03-05T14:20:00
{"recipient":{"name":"Zoë 🎁"},"tags":["birthday","vip"]}
3eadaf41-6285-40bd-af74-8152adc3e404 order-10004 ACTIVE 75.00 62.50 2031-01-31 classic-gold
2025-02-15T08:45:00 2025-03-01T11:00:00 2025-02-15T09:00:00; UNLOAD 20.00 2025-02-25T10:00:00; LOAD 7.50 2025-03-01T11:00:00
{"recipient":{"name":"ليلى حداد"},"store":{"region":{"code":"ME-02","manager":"Omar"},"number":17}}
4fbeb052-7396-41ce-8085-9263bed4f505 order-10005 WAITING_ACTIVATION 50.00 50.00 2031-03-31 classic-blue
2025-03-03T09:00:00 2025-03-03T09:00:00
{"campaign":"spring"}
50cfc163-84a7-42df-9196-a374cfe50606 order-10006 WAITING_ACTIVATION 20.00 20.00 2031-03-31 confetti
2025-03-03T09:05:00 2025-03-03T09:05:00
{}
61d0d274-95b8-43e0-a2a7-b485d0f61707 order-10007 WAITING_ACTIVATION 10.50 10.50 2031-03-31 classic-gold
2025-03-04T15:30:00 2025-03-04T15:30:00
{"recipient":{"name":"Søren Ødegård"}}
72e1e385-a6c9-44f1-b3b8-c596e1072808 order-10008 BLOCKED 40.00 33.33 2030-09-30 classic-blue
2024-10-01T10:00:00 2025-01-20T13:37:00 2024-10-01T10:30:00; PURCHASE 6.67 2024-12-24T18:00:00
{"ticket":"SUP-4711"}
83f2f496-b7da-4502-84c9-d6a7f2183909 order-10009 REISSUED 60.00 0.00 2030-11-30 sakura REISSUE 45.20
2024-11-05T09:00:00 2025-02-18T10:10:00 2024-11-05T09:30:00; PURCHASE 14.80 2024-12-01T12:00:00; UNLOAD 45.20 2025-02-18T10:10:00
{"ticket":"SUP-4802"}
940305a7-c8eb-4613-95da-e7b803294a0a order-10009-R ACTIVE 45.20 45.20 2030-11-30 sakura
2025-02-18T10:10:00 2025-02-18T10:10:00 2025-02-18T10:10:00
{"ticket":"SUP-4802"}
a51416b8-d9fc-4724-a6eb-f8c9143a5b0b order-10010 EXPIRED 30.00 0.00 2024-12-31 classic-blue EXPIRY 5.50
2023-12-15T10:00:00 2025-01-01T00:00:00 2023-12-16T10:00:00; PURCHASE 24.50 2024-03-08T19:00:00; UNLOAD 5.50 2025-01-01T00:00:00
{"campaign":"winter"}
b62527c9-ea0d-4835-b7fc-09da254b6c0c order-10011 CANCELLED 80.00 0.00 2031-02-28 confetti CANCELLATION 80.00
2025-02-20T11:00:00 2025-02-21T09:00:00; UNLOAD 80.00 2025-02-21T09:00:00
{"reason":{"code":"duplicate","of":"order-10004"}}`;

function cards(): readonly string[] {
  let number = 1000;
  const lines = CARDS.split('\n');
  return lines.flatMap((facts, at) => {
    if (at % 3 !== 0) return [];
    const [id, reference, status, initial, current, expiry, design, action, amount = 'null'] = facts.split(' ');
    const [times = '', ...later] = (lines[at + 1] ?? '').split('; ');
    const [created, updated, activated] = times.split(' ').map((time) => `"${time}.000Z"`);
    const transactions = [`LOAD ${initial} ${times.split(' ')[0]}`, ...later].map((text) => {
      const [type, moved, time] = text.split(' ');
      number += 1;
      return `{"transactionId":"txn_${number}","amount":${moved},"type":"${type}","createdAt":"${time}.000Z"}`;
    });
    return `{"cardId":"${id}","clientReference":"${reference}","status":"${status}","initialBalance":${initial},
     "currentBalance":${current},"expiryDate":"${expiry}T23:59:59.000Z","design":"${design}","metadata":${lines[at + 2]},
     "createdAt":${created},"updatedAt":${updated},${activated === undefined ? '' : `"activatedAt":${activated},`}
     "cancelledAt":${action === undefined ? null : updated},"cancellationAmount":${amount},
     ${action === undefined ? '' : `"cancellationAction":"${action}",`}"transactions":[${transactions.join(',')}]}`;
  });
}

/** A new sandbox as a seed file, in text, so that amounts keep their digits. One list fills the default limit. */
export const SEED_TEXT = `{
  "cards":[
    ${cards().join(',\n    ')}
  ],
  "calendars":[
    {"id":"cal_harbour_tours","object":"calendar","active":true,"created":"2024-05-02T08:00:00.000Z","updated":"2025-01-10T08:00:00.000Z",
     "name":"Harbour tours","description":"Boat tours, every day from May to September.",
     "image":"https://images.example.com/harbour.jpg","url":"https://www.example.com/harbour"},
    {"id":"cal_tea_ceremony","object":"calendar","active":true,"created":"2024-06-11T08:00:00.000Z","updated":"2024-12-01T08:00:00.000Z",
     "name":"茶道 Tea ceremony","description":null,
     "image":"https://images.example.com/tea.jpg","url":null},
    {"id":"cal_winter_market","object":"calendar","active":false,"created":"2023-09-01T08:00:00.000Z","updated":"2024-01-07T08:00:00.000Z",
     "name":"Winter market","description":"Closed until November.\\nStalls are given by lot.",
     "image":"https://images.example.com/market.jpg","url":"https://www.example.com/market"}
  ],
  "subscribers":[
    ${subscribers().join(',\n    ')}
  ]
}`;
