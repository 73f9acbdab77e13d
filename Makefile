# SPDX-License-Identifier: Apache-2.0
#
# Every command installs first what it lacks (Scripts/setup), quietly when nothing is missing.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

.PHONY: help demo test interop build package nightly bench fuzz docs format check clean

# Debug builds take no flags but LATCH_BUILD_FLAGS, so that demo, tests and a plain 'swift test' share one build. CI leaves the
# index store out by it, which editors read, and which takes a quarter of the compiler's time (Tests/XCTMain.swift).
FUZZ_SECONDS ?= 60

help: ## lists these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## builds latch and runs its demo against a real server: exit 0 only if every step held
	@Scripts/setup
	@swift build $(LATCH_BUILD_FLAGS) --product latch
	@swift build $(LATCH_BUILD_FLAGS) --product latch-demo
	@"$$(swift build --show-bin-path)/latch" demo

test: ## builds and runs every test
	@Scripts/setup --tests
	@Scripts/run-tests

interop: ## runs the tests against real peers: another libcurl, PostgreSQL, OpenID providers and a browser
	@Scripts/setup --tests --interop
	@LATCH_PLUGINS=none swift build $(LATCH_BUILD_FLAGS) --build-tests
	@Scripts/run-interop

build: ## builds everything, tests included
	@Scripts/setup
	@LATCH_PLUGINS=none swift build $(LATCH_BUILD_FLAGS) --build-tests

package: ## builds latch for others: a tarball, a Debian package, an SPDX bill of materials, checksums
	@Scripts/setup
	@Scripts/package

nightly: ## simulates 100,000 lives of a session, shares one among processes, kills them: an hour or more (NIGHTLY_PARTIAL=1: what can run here)
	@Scripts/setup --tests --interop
	@Scripts/run-nightly

bench: ## runs the benchmarks in release, one after another: ratios against limits and peers; a missed limit is a failure
	@Scripts/setup --bench
	@Scripts/run-benchmarks --check

fuzz: ## runs each fuzz target for FUZZ_SECONDS (60)
	@Scripts/setup
	@Scripts/run-fuzz $(FUZZ_SECONDS)

docs: ## builds the DocC site into .build/docs, without a warning
	@Scripts/setup
	@swift build
	@Scripts/build-docs

format: ## formats every Swift file
	@git ls-files -z -co --exclude-standard -- '*.swift' | xargs -0 swift format -i --parallel

check: ## format, words, English, links, layers, budgets, Apple's platforms, scanned text, the public API and the examples
	@Scripts/check-format
	@Scripts/check-words
	@Scripts/check-english
	@Scripts/check-readme
	@Scripts/check-documents
	@Scripts/check-layers
	@Scripts/draw-pictures --check
	@Scripts/check-budgets
	@Scripts/attack-table --check
	@Scripts/mutate --check
	@Scripts/check-apple
	@swift build
	@Scripts/check-characters
	@Scripts/public-api --check
	@Scripts/check-examples

clean: ## removes what was built
	@rm -rf .build .build-*
