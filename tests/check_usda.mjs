// Reads a usda file with TinyUSDZ and compares its points with the OBJ frames of the same run.
//
//     node check_usda.mjs MODULES FILE OBJ_FOLDER FRAMES NAME=PRIM...
//
// MODULES is the folder node_modules. For every cloth NAME is that of its OBJ files, PRIM that in the usda file.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [modules, file, objFolder, frames, ...cloths] = process.argv.slice(2);

// Floats below eight metres are rounded by up to 2.4e-7 m.
const tolerance = 2.5e-7;

function fail(sentence) {
    console.error(`${file}: ${sentence}`);
    process.exit(1);
}

// The package is made for web pages: it starts only where it believes to be in one, and would fetch its code.
async function loadTinyUsdz() {
    process.type = 'renderer';
    globalThis.window = globalThis;
    const start = (await import(pathToFileURL(`${modules}/tinyusdz/tinyusdz.js`))).default;
    const code = readFileSync(`${modules}/tinyusdz/tinyusdz.wasm`);
    return start({
        instantiateWasm(imports, done) {
            WebAssembly.instantiate(code, imports).then(({ instance, module }) => done(instance, module));
            return {};
        },
    });
}

// The points of each time sample of a prim, from the text that TinyUSDZ makes of what it has read.
function readSamples(text, prim) {
    const body = text.split(new RegExp(`def \\w+ "${prim}"`))[1];
    const samples = body?.split('points.timeSamples = {')[1].split('}')[0];
    if (samples === undefined)
        fail(`has no prim ${prim}`);
    return samples.trim().split('\n').map((line) => line.split(': ')[1].match(/[-+.\de]+/g).map(Number));
}

function readObj(path) {
    return readFileSync(path, 'utf8').split('\n').filter((line) => line.startsWith('v '))
        .flatMap((line) => line.split(' ').slice(1).map(Number));
}

const { TinyUSDZLoaderNative: Loader } = await loadTinyUsdz();
const bytes = new Uint8Array(readFileSync(file));
const stage = new Loader();
if (!stage.loadFromBinary(bytes, 'scene.usda'))
    fail(`cannot be read as a stage: ${stage.error()}`);
const layer = new Loader();
if (!layer.loadAsLayerFromBinary(bytes, 'scene.usda'))
    fail(`cannot be read as a layer: ${layer.error()}`);
const text = layer.layerToString();
for (const [key, value] of [['upAxis', '"Y"'], ['metersPerUnit', '1'], ['timeCodesPerSecond', '25'],
                            ['startTimeCode', '0'], ['endTimeCode', `${frames - 1}`]])
    if (!new RegExp(`${key} = ${value}\\s`).test(text))
        fail(`${key} is not ${value}`);

let worst = 0;
for (const cloth of cloths) {
    const [name, prim] = cloth.split('=');
    const samples = readSamples(text, prim);
    if (samples.length !== Number(frames))
        fail(`${prim} has ${samples.length} samples, not ${frames}`);
    samples.forEach((points, frame) => {
        const expected = readObj(`${objFolder}/${name}_${String(frame).padStart(4, '0')}.obj`);
        if (points.length !== expected.length)
            fail(`${prim} has ${points.length / 3} points, not ${expected.length / 3}`);
        points.forEach((value, i) => { worst = Math.max(worst, Math.abs(value - expected[i])); });
    });
}
if (!(worst <= tolerance))
    fail(`is off by ${worst} m`);
console.log(`${file}: ${cloths.length} cloths, ${frames} frames, largest error ${worst.toExponential(1)} m`);
