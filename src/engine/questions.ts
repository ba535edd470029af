/**
 * The questions that are asked, and no others: whoever imports the package as a whole, in a bundle of one file, has
 * its editors and searches in it too. Loaded when the first question is asked.
 */
export { confirm, input, password, select } from '@inquirer/prompts';
