"""The same text work done by JavaScript itself, where node is installed."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

import pytest

from agentprint_cli.rules import js_text
from agentprint_cli.rules.choice_text import candidate_text
from agentprint_cli.rules.code_shape import code_shape

from .strategies import AWKWARD

NODE = shutil.which("node")

# The regular expressions that explain every vector of the source framework.
SCRIPT = r"""
const KEPT = 'if|else|for|while|return|function|const|let|var|def|import|from|class|try|catch|' +
  'await|async|in|of|new|not|and|or';
const name = new RegExp(`\\b(?!(?:${KEPT}|S|N))[A-Za-z_$][\\w$]*\\b(?!\\s*\\()`, 'g');
const shape = (code) => code
  .replace(/\/\*[\s\S]*?\*\//g, ' ')
  .replace(/(^|[^:])\/\/[^\n]*/g, '$1 ')
  .replace(/#[^\n]*/g, ' ')
  .replace(/(['"`])(?:\\[\s\S]|(?!\1)[^\\])*\1/g, 'S')
  .replace(/\b\d[\d_.eE+-]*\b/g, 'N')
  .replace(name, 'V')
  .replace(/\s+/g, ' ')
  .trim();
const words = (text) => text
  .replace(/[_-]+/g, ' ').replace(/([a-z0-9])([A-Z])/g, '$1 $2').trim();
const answers = JSON.parse(require('fs').readFileSync(0, 'utf8')).map(([text, value]) => [
  text.length, text.slice(0, 7), text.slice(-7), text.trim(), JSON.stringify(text),
  JSON.stringify(value), words(text), shape(text),
]);
const ascii = (text) => text.replace(/[\u007f-\uffff]/g,
  (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
process.stdout.write(ascii(JSON.stringify(answers)));
"""


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_javascript_agrees() -> None:
    assert NODE is not None
    choose = random.Random(20)
    tokens = [*AWKWARD, "if", "None", "groupBy", "2.5e-3", "0x1F", "f (", "//", "/*", "*/", "xY"]

    def text() -> str:
        return "".join(choose.choices(tokens, k=choose.randrange(30)))

    cases = [
        [
            text(),
            {text(): choose.random() * 10.0 ** choose.randrange(-12, 25), "3": [text()], "1": 1},
        ]
        for _ in range(2_000)
    ]
    done = subprocess.run(
        [NODE, "-e", SCRIPT], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    ours = [
        [
            js_text.length(text),
            js_text.first_units(text, 7),
            js_text.last_units(text, 7),
            js_text.trim(text),
            js_text.quote(text),
            js_text.stringify(value),
            candidate_text(text),
            code_shape(text),
        ]
        for text, value in json.loads(json.dumps(cases))
    ]
    # Written and read once more, so that two halves in a row are one character on both sides.
    assert json.loads(json.dumps(ours)) == json.loads(done.stdout)
