// Validates glb files with the validator of the Khronos Group.   node check_glb.mjs MODULES FILE...
//
// MODULES is the folder node_modules. Fails if a file has an error or a warning.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [modules, ...files] = process.argv.slice(2);
const validator = createRequire(`${modules}/`)('gltf-validator');

for (const file of files) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 20 });
    const { numErrors, numWarnings, messages } = report.issues;
    console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings`);
    if (numErrors + numWarnings > 0) {
        console.log(JSON.stringify(messages, null, 1));
        process.exitCode = 1;
    }
}
