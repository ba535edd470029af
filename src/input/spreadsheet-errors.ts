/** What spreadsheets show for an error, in the languages of their programs. */
export const ERROR_WORDS: readonly string[] = [
  '#REF! #N/A #NAME? #VALUE! #DIV/0! #NUM! #NULL! #SPILL! #CALC! #FIELD! #ERROR! #BLOCKED! #CONNECT! #BUSY! #UNKNOWN!',
  '#EXTERNAL! #PYTHON! #TIMEOUT! #GETTING_DATA #BEZUG! #NV #WERT! #ZAHL! #ÜBERLAUF! #KALK! #FELD! #NOM? #VALEUR! #NOMBRE!',
  '#NUL! #PROPAGATION! #CALCUL! #CHAMP! #¡REF! #N/D #¿NOMBRE? #¡VALOR! #¡DIV/0! #¡NUM! #¡NULO! #¡DESBORDAMIENTO! #¡CALC!',
  '#RIF! #NOME? #VALORE! #NULLO! #ESPANSIONE! #CAMPO! #VALOR! #NÚM! #NULO! #DESPEJAR! #VERW! #N/B #NAAM? #WAARDE! #DEEL/0!',
  '#GETAL! #LEEG! #OVERLOPEN! #ADR! #N/D! #NAZWA? #ARG! #LICZBA! #ZERO! #REFERENS! #SAKNAS! #NAMN? #VÄRDEFEL! #DIVISION/0!',
  '#OGILTIGT! #SKÄRNING! #REFERENCE! #I/T #NAVN? #VÆRDI! #VERDI! #VIITTAUS! #PUUTTUU! #NIMI? #ARVO! #JAKO/0! #LUKU! #TYHJÄ!',
  '#ODKAZ! #NÁZEV? #HODNOTA! #ČÍSLO! #HIV! #HIÁNYZIK #NÉV? #ÉRTÉK! #ZÉRÓOSZTÓ! #SZÁM! #ССЫЛКА! #Н/Д #ИМЯ? #ЗНАЧ! #ДЕЛ/0!',
  '#ЧИСЛО! #ПУСТО! #BAŞV! #YOK #AD? #DEĞER! #SAYI! #BOŞ!',
].flatMap((line) => line.split(' '));

const KNOWN: ReadonlySet<string> = new Set(ERROR_WORDS);
/** LibreOffice numbers its errors. */
const NUMBERED = /^Err:\d{3}$/;

export function isSpreadsheetError(cell: string): boolean {
  const first = cell[0];
  return (first === '#' && KNOWN.has(cell)) || (first === 'E' && NUMBERED.test(cell));
}

/** Does the cell look like such an error, and may be a text: `#Sale!`? */
export function looksLikeError(text: string): boolean {
  return /^#[\p{L}\p{N}/]+[!?]$/u.test(text) && !KNOWN.has(text);
}
