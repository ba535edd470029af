/** First and last names of the subscribers of each calendar. One with a minus is not active. */
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
 * What a new sandbox holds, as JSON text in the form of a seed file: text, so that amounts keep their digits.
 * Cards in every status, three calendars, 26 subscribers; 12 of the first calendar's are active, so that the
 * default limit of 10 is full.
 */
export const SEED_TEXT = `{
  "cards":[
    {"cardId":"0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101","clientReference":"order-10001","status":"ACTIVE",
     "initialBalance":50.00,"currentBalance":37.25,"expiryDate":"2031-03-31T23:59:59.000Z","design":"classic-blue",
     "metadata":{"recipient":{"name":"Hannah Berg","email":"hannah.berg@example.com"},"campaign":"spring","giftWrapped":false},
     "createdAt":"2025-01-14T09:30:00.000Z","updatedAt":"2025-02-02T17:45:12.000Z","activatedAt":"2025-01-15T08:00:00.000Z",
     "cancelledAt":null,"cancellationAmount":null,
     "transactions":[
       {"transactionId":"txn_1001","amount":50.00,"type":"LOAD","createdAt":"2025-01-14T09:30:00.000Z"},
       {"transactionId":"txn_1002","amount":12.75,"type":"PURCHASE","createdAt":"2025-02-02T17:45:12.000Z"}]},
    {"cardId":"1c8b7d2f-4063-4e9b-8d52-6f308ba1c202","clientReference":"order-10002","status":"ACTIVE",
     "initialBalance":100.10,"currentBalance":100.10,"expiryDate":"2031-06-30T23:59:59.000Z","design":"sakura",
     "metadata":{"recipient":{"name":"山田 花子","city":"東京"},"message":"お誕生日おめでとう","ledgerNumber":12345678901234567.89},
     "createdAt":"2025-02-01T10:00:00.000Z","updatedAt":"2025-02-01T10:05:00.000Z","activatedAt":"2025-02-01T10:05:00.000Z",
     "cancelledAt":null,"cancellationAmount":null,
     "transactions":[
       {"transactionId":"txn_1003","amount":100.10,"type":"LOAD","createdAt":"2025-02-01T10:00:00.000Z"}]},
    {"cardId":"2d9c8e30-5174-4fac-9e63-70419cb2d303","clientReference":"order-10003","status":"ACTIVE",
     "initialBalance":25.00,"currentBalance":0.00,"expiryDate":"2030-12-31T23:59:59.000Z","design":"confetti",
     "metadata":{"recipient":{"name":"Zoë 🎁"},"tags":["birthday","vip"]},
     "createdAt":"2025-02-10T12:00:00.000Z","updatedAt":"2025-03-05T14:20:00.000Z","activatedAt":"2025-02-11T07:15:00.000Z",
     "cancelledAt":null,"cancellationAmount":null,
     "transactions":[
       {"transactionId":"txn_1004","amount":25.00,"type":"LOAD","createdAt":"2025-02-10T12:00:00.000Z"},
       {"transactionId":"txn_1005","amount":19.90,"type":"PURCHASE","createdAt":"2025-02-20T16:00:00.000Z"},
       {"transactionId":"txn_1006","amount":5.10,"type":"PURCHASE","createdAt":"2025-03-05T14:20:00.000Z"}]},
    {"cardId":"3eadaf41-6285-40bd-af74-8152adc3e404","clientReference":"order-10004","status":"ACTIVE",
     "initialBalance":75.00,"currentBalance":62.50,"expiryDate":"2031-01-31T23:59:59.000Z","design":"classic-gold",
     "metadata":{"recipient":{"name":"ليلى حداد"},"store":{"region":{"code":"ME-02","manager":"Omar"},"number":17}},
     "createdAt":"2025-02-15T08:45:00.000Z","updatedAt":"2025-03-01T11:00:00.000Z","activatedAt":"2025-02-15T09:00:00.000Z",
     "cancelledAt":null,"cancellationAmount":null,
     "transactions":[
       {"transactionId":"txn_1007","amount":75.00,"type":"LOAD","createdAt":"2025-02-15T08:45:00.000Z"},
       {"transactionId":"txn_1008","amount":20.00,"type":"UNLOAD","createdAt":"2025-02-25T10:00:00.000Z"},
       {"transactionId":"txn_1009","amount":7.50,"type":"LOAD","createdAt":"2025-03-01T11:00:00.000Z"}]},
    {"cardId":"4fbeb052-7396-41ce-8085-9263bed4f505","clientReference":"order-10005","status":"WAITING_ACTIVATION",
     "initialBalance":50.00,"currentBalance":50.00,"expiryDate":"2031-03-31T23:59:59.000Z","design":"classic-blue",
     "metadata":{"campaign":"spring"},
     "createdAt":"2025-03-03T09:00:00.000Z","updatedAt":"2025-03-03T09:00:00.000Z",
     "cancelledAt":null,"cancellationAmount":null,
     "transactions":[
       {"transactionId":"txn_1010","amount":50.00,"type":"LOAD","createdAt":"2025-03-03T09:00:00.000Z"}]},
    {"cardId":"50cfc163-84a7-42df-9196-a374cfe50606","clientReference":"order-10006","status":"WAITING_ACTIVATION",
     "initialBalance":20.00,"currentBalance":20.00,"expiryDate":"2031-03-31T23:59:59.000Z","design":"confetti",
     "metadata":{},
     "createdAt":"2025-03-03T09:05:00.000Z","updatedAt":"2025-03-03T09:05:00.000Z",
     "cancelledAt":null,"cancellationAmount":null,
     "transactions":[
       {"transactionId":"txn_1011","amount":20.00,"type":"LOAD","createdAt":"2025-03-03T09:05:00.000Z"}]},
    {"cardId":"61d0d274-95b8-43e0-a2a7-b485d0f61707","clientReference":"order-10007","status":"WAITING_ACTIVATION",
     "initialBalance":10.50,"currentBalance":10.50,"expiryDate":"2031-03-31T23:59:59.000Z","design":"classic-gold",
     "metadata":{"recipient":{"name":"Søren Ødegård"}},
     "createdAt":"2025-03-04T15:30:00.000Z","updatedAt":"2025-03-04T15:30:00.000Z",
     "cancelledAt":null,"cancellationAmount":null,
     "transactions":[
       {"transactionId":"txn_1012","amount":10.50,"type":"LOAD","createdAt":"2025-03-04T15:30:00.000Z"}]},
    {"cardId":"72e1e385-a6c9-44f1-b3b8-c596e1072808","clientReference":"order-10008","status":"BLOCKED",
     "initialBalance":40.00,"currentBalance":33.33,"expiryDate":"2030-09-30T23:59:59.000Z","design":"classic-blue",
     "metadata":{"ticket":"SUP-4711"},
     "createdAt":"2024-10-01T10:00:00.000Z","updatedAt":"2025-01-20T13:37:00.000Z","activatedAt":"2024-10-01T10:30:00.000Z",
     "cancelledAt":null,"cancellationAmount":null,
     "transactions":[
       {"transactionId":"txn_1013","amount":40.00,"type":"LOAD","createdAt":"2024-10-01T10:00:00.000Z"},
       {"transactionId":"txn_1014","amount":6.67,"type":"PURCHASE","createdAt":"2024-12-24T18:00:00.000Z"}]},
    {"cardId":"83f2f496-b7da-4502-84c9-d6a7f2183909","clientReference":"order-10009","status":"REISSUED",
     "initialBalance":60.00,"currentBalance":0.00,"expiryDate":"2030-11-30T23:59:59.000Z","design":"sakura",
     "metadata":{"ticket":"SUP-4802"},
     "createdAt":"2024-11-05T09:00:00.000Z","updatedAt":"2025-02-18T10:10:00.000Z","activatedAt":"2024-11-05T09:30:00.000Z",
     "cancelledAt":"2025-02-18T10:10:00.000Z","cancellationAmount":45.20,"cancellationAction":"REISSUE",
     "transactions":[
       {"transactionId":"txn_1015","amount":60.00,"type":"LOAD","createdAt":"2024-11-05T09:00:00.000Z"},
       {"transactionId":"txn_1016","amount":14.80,"type":"PURCHASE","createdAt":"2024-12-01T12:00:00.000Z"},
       {"transactionId":"txn_1017","amount":45.20,"type":"UNLOAD","createdAt":"2025-02-18T10:10:00.000Z"}]},
    {"cardId":"940305a7-c8eb-4613-95da-e7b803294a0a","clientReference":"order-10009-R","status":"ACTIVE",
     "initialBalance":45.20,"currentBalance":45.20,"expiryDate":"2030-11-30T23:59:59.000Z","design":"sakura",
     "metadata":{"ticket":"SUP-4802"},
     "createdAt":"2025-02-18T10:10:00.000Z","updatedAt":"2025-02-18T10:10:00.000Z","activatedAt":"2025-02-18T10:10:00.000Z",
     "cancelledAt":null,"cancellationAmount":null,
     "transactions":[
       {"transactionId":"txn_1018","amount":45.20,"type":"LOAD","createdAt":"2025-02-18T10:10:00.000Z"}]},
    {"cardId":"a51416b8-d9fc-4724-a6eb-f8c9143a5b0b","clientReference":"order-10010","status":"EXPIRED",
     "initialBalance":30.00,"currentBalance":0.00,"expiryDate":"2024-12-31T23:59:59.000Z","design":"classic-blue",
     "metadata":{"campaign":"winter"},
     "createdAt":"2023-12-15T10:00:00.000Z","updatedAt":"2025-01-01T00:00:00.000Z","activatedAt":"2023-12-16T10:00:00.000Z",
     "cancelledAt":"2025-01-01T00:00:00.000Z","cancellationAmount":5.50,"cancellationAction":"EXPIRY",
     "transactions":[
       {"transactionId":"txn_1019","amount":30.00,"type":"LOAD","createdAt":"2023-12-15T10:00:00.000Z"},
       {"transactionId":"txn_1020","amount":24.50,"type":"PURCHASE","createdAt":"2024-03-08T19:00:00.000Z"},
       {"transactionId":"txn_1021","amount":5.50,"type":"UNLOAD","createdAt":"2025-01-01T00:00:00.000Z"}]},
    {"cardId":"b62527c9-ea0d-4835-b7fc-09da254b6c0c","clientReference":"order-10011","status":"CANCELLED",
     "initialBalance":80.00,"currentBalance":0.00,"expiryDate":"2031-02-28T23:59:59.000Z","design":"confetti",
     "metadata":{"reason":{"code":"duplicate","of":"order-10004"}},
     "createdAt":"2025-02-20T11:00:00.000Z","updatedAt":"2025-02-21T09:00:00.000Z",
     "cancelledAt":"2025-02-21T09:00:00.000Z","cancellationAmount":80.00,"cancellationAction":"CANCELLATION",
     "transactions":[
       {"transactionId":"txn_1022","amount":80.00,"type":"LOAD","createdAt":"2025-02-20T11:00:00.000Z"},
       {"transactionId":"txn_1023","amount":80.00,"type":"UNLOAD","createdAt":"2025-02-21T09:00:00.000Z"}]}
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
