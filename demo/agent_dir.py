"""Pi's private agent directory: the scripted model as its only provider, and settings that suit tests."""

import json
from pathlib import Path

PROVIDER = "scripted"
MODEL = "scripted-1"
OTHER_MODEL = "scripted-2"
WINDOW = 128_000

SETTINGS: dict[str, object] = {
    "defaultProvider": PROVIDER,
    "defaultModel": MODEL,
    "quietStartup": True,
    "retry": {"maxRetries": 3, "baseDelayMs": 200},
    "compaction": {"keepRecentTokens": 10},
    "branchSummary": {"skipPrompt": False},
}


def write(directory: Path, base_url: str, **settings: object) -> None:
    """Creates the directory; `settings` replace those of `SETTINGS` with the same name."""
    directory.mkdir(parents=True, exist_ok=True)
    compat = {"supportsMidConvoSystemMessages": True, "promptCacheKeyMode": "enabled"}
    models = [{"id": name, "contextWindow": WINDOW, "compat": compat} for name in (MODEL, OTHER_MODEL)]
    provider = {"baseUrl": base_url, "api": "openai-completions", "apiKey": "none", "models": models}
    (directory / "models.json").write_text(json.dumps({"providers": {PROVIDER: provider}}, indent=1))
    (directory / "settings.json").write_text(json.dumps({**SETTINGS, **settings}, indent=1))
