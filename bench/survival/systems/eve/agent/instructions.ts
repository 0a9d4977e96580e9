import { defineInstructions } from 'eve/instructions';
import { prompt } from '../code.mjs';

export default defineInstructions({ content: prompt });
