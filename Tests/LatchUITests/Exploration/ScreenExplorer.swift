// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchTexts
import LatchUI

/// An enumeration of all states of a screen, breadth first, with the rules that every screen keeps.
struct ScreenExplorer<S: Screen> {
    let scenario: ScreenScenario<S>
    private(set) var states: [ExploredScreen<S>] = []
    private(set) var violations: [String] = []
    private var numbers: [ExploredScreen<S>: Int] = [:]
    /// The states from which the user's own input leads to another screen.
    private var doors: Set<Int> = []
    /// The states that a state leads to by the user's own inputs.
    private var ownWays: [[Int]] = []
    /// The names of the next states, by state and event.
    private var table: [String: [String: Set<String>]] = [:]
    /// The effects that were searched for secrets.
    private var printed: Set<[ScreenEffect<S>]> = []
    /// The phrases that users read.
    private(set) var phrases: Set<Phrase> = []
    /// The requests of all states, whose answers may come at any time; and the different ones of these answers.
    private var requests: Set<S.Request> = []
    private var foreignAnswers: [String: ExploredEvent<S>] = [:]

    init(_ scenario: ScreenScenario<S>, limit: Int = 30_000) {
        self.scenario = scenario
        explore(limit: limit)
        checkForeignAnswers(limit: limit)
        checkExits()
    }

    private mutating func explore(limit: Int) {
        let first = ExploredScreen(machine: ScreenMachine(scenario.screen), request: nil)
        numbers = [first: 0]
        states = [first]
        ownWays = [[]]
        exploreStates(from: 0, limit: limit)
    }

    /// Follows the events of each state from a number on, and of those that they lead to.
    private mutating func exploreStates(from first: Int, limit: Int) {
        var next = first
        while next < states.count {
            let state = states[next]
            if let request = state.request, requests.insert(request).inserted {
                for late in scenario.answers(request, prefix: "foreign answer", isLate: true) {
                    foreignAnswers["\(late.event)"] = late
                }
            }
            check(state)
            checkClockJumps(state)
            for event in scenario.events(state) {
                let (after, effects) = follow(state, event)
                let number = add(after)
                if event.isOwn && event.isWayOut {
                    ownWays[next].append(number)
                    if effects.contains(where: \.isNavigation) { doors.insert(next) }
                }
                if effects.contains(.endAssistance), let assistance = state.machine.assistance {
                    for late in scenario.answers(assistance, prefix: "late suggestion", isLate: true) {
                        _ = add(follow(after, late).after)
                    }
                }
                // The answer of a cancelled request may come all the same.
                guard effects.contains(.cancel), let request = state.request else { continue }
                for late in scenario.answers(request, prefix: "late answer", isLate: true) {
                    _ = add(follow(after, late).after)
                }
            }
            next += 1
            if states.count > limit { return violate("more than \(limit) states") }
            if violations.count > 20 { return }
        }
    }

    /// Delivers the answer of every request in every state, once: it was cancelled, and the user has gone on since.
    private mutating func checkForeignAnswers(limit: Int) {
        let known = states.count
        // Where nothing is typed and no request runs, it is like the late answer right after the cancellation.
        for state in states where violations.count <= 20 && (state.machine.isTyping || state.machine.isBusy) {
            for late in foreignAnswers.values { _ = add(takeForeign(state, late)) }
        }
        exploreStates(from: known, limit: limit)
    }

    /// Takes the answer of a request that is not the current one, and checks that nothing is lost by it.
    private mutating func takeForeign(_ state: ExploredScreen<S>, _ event: ExploredEvent<S>) -> ExploredScreen<S> {
        var after = state
        let effects = after.machine.receive(event.event)
        for case .perform(let request) in effects { after.request = request }
        if !after.machine.isBusy { after.request = nil }
        if after.machine.outcome != nil { return after }
        let place = "'\(event.name)' in '\(state.name(scenario))'"
        if state.machine.isBusy, after.request != state.request || effects.contains(where: \.isRequest) {
            violate("\(place) takes the place of the running request")
        }
        for field in state.machine.screen.fields.all where state.machine.isTyping && !field.text.value.isEmpty {
            if after.machine.screen.fields[field.id]?.text != field.text {
                violate("\(place) loses what is typed into '\(field.id.name)'")
            }
        }
        return after
    }

    /// Checks that time before a deadline changes nothing, and that time long after it is the deadline.
    private mutating func checkClockJumps(_ state: ExploredScreen<S>) {
        guard let deadline = state.machine.deadline else { return }
        let place = "'\(state.name(scenario))'"
        let results = [-86_400, -1, 315_360_000].map { (seconds: TimeInterval) in
            var machine = state.machine
            let effects = machine.receive(.time(deadline.addingTimeInterval(seconds)))
            return (machine: machine, effects: effects)
        }
        for early in results.prefix(2) where early.machine != state.machine || !early.effects.isEmpty {
            violate("\(place) takes a date before its deadline for the deadline")
        }
        if results[2].machine.deadline == deadline { violate("\(place) waits for a date that is over") }
    }

    /// Adds a state unless it is known, and returns its number.
    private mutating func add(_ state: ExploredScreen<S>) -> Int {
        if let number = numbers[state] { return number }
        numbers[state] = states.count
        states.append(state)
        ownWays.append([])
        return states.count - 1
    }

    private mutating func violate(_ rule: String) { violations.append("\(scenario.name): \(rule)") }

    /// Takes an event, and checks what it did.
    private mutating func follow(
        _ state: ExploredScreen<S>, _ event: ExploredEvent<S>
    ) -> (after: ExploredScreen<S>, effects: [ScreenEffect<S>]) {
        var after = state
        let effects = after.machine.receive(event.event)
        for case .perform(let request) in effects { after.request = request }
        if !after.machine.isBusy { after.request = nil }
        let name = state.name(scenario)
        let other = effects.lazy.compactMap(\.otherScreen).first.map { "to *\(after.outcomeName($0))*" }
        let target = other ?? after.name(scenario)
        if event.name.hasPrefix("press ") || event.name.hasPrefix("set ") || !event.isOwn || event.name == "time"
            || event.name.hasPrefix("link ")
        {
            table[name, default: [:]][event.name, default: []].insert(target)
        } else if target != name {
            table[name, default: [:]][event.name, default: []].insert(target)
        }
        if other != nil, after.machine.screen.fields.holdsSecret {
            violate("'\(event.name)' in '\(name)' leads on with a secret")
        }
        let place = "'\(event.name)' in '\(name)'"
        if event.name.hasPrefix("press ") || event.name.hasPrefix("set "), after == state, effects.isEmpty {
            violate("\(place) does nothing")
        }
        if state.machine.isBusy, effects.contains(where: \.isRequest), !effects.contains(.cancel), event.isOwn {
            violate("\(place) begins a second request")
        }
        if after.machine.isBusy, after.machine.assistance != nil {
            violate("\(place) lets an assistance wait beside a request")
        }
        let begins = effects.contains { if case .beginAssistance = $0 { true } else { false } }
        if begins != (after.machine.assistance != nil && after.machine.assistance != state.machine.assistance)
            || effects.contains(.endAssistance)
                != (state.machine.assistance != nil && after.machine.assistance != state.machine.assistance)
        {
            violate("\(place) begins or ends no assistance where it should")
        }
        if case .failure(let failure) = event.event, failure.reason != .cancelled, state.machine.isBusy,
            after.machine.activity == .idle, !effects.contains(where: \.isAnnouncement)
        {
            violate("\(place) is not announced")
        }
        for case .announce(let phrase) in effects { phrases.insert(phrase) }
        // Printing takes longer than all else, and equal effects print the same.
        if printed.insert(effects).inserted {
            let text = "\(effects) \(String(reflecting: effects))"
            if text.contains(ScreenScenario<S>.secret) || text.contains(ScreenScenario<S>.code) {
                violate("\(place) prints a secret")
            }
        }
        return (after, effects)
    }

    /// Checks a state for itself.
    private mutating func check(_ state: ExploredScreen<S>) {
        let machine = state.machine
        let controls = machine.controls.flatMap(\.withActions)
        let name = state.name(scenario)
        if machine.activity != .idle, machine.screen.fields.holdsSecret { violate("'\(name)' keeps a secret") }
        if Set(controls.map(\.id)).count != controls.count { violate("'\(name)' has an identifier twice") }
        if controls.first?.trait != .header { violate("'\(name)' does not begin with its title") }
        if let focus = machine.focus, !controls.contains(where: { $0.id == focus && $0.isEnabled }) {
            violate("'\(name)' has the focus at '\(focus)', which takes no input")
        }
        for control in controls {
            phrases.formUnion([control.label, control.detail, control.problem, control.hint].compactMap(\.self))
            phrases.insert(control.spokenLabel)
            var other = machine
            if !control.isEnabled, !other.receive(.input(.press(control.id))).isEmpty || other != machine {
                violate("'\(name)' takes the press of the disabled '\(control.id)'")
            }
        }
        checkForm(machine, name)
        checkPrinting(state, name)
    }

    /// Checks the order of a form, and what the password manager makes of it.
    private mutating func checkForm(_ machine: ScreenMachine<S>, _ name: String) {
        let controls = machine.controls
        let lastField = controls.lastIndex { if case .field = $0.kind { true } else { false } }
        let primaries = controls.indices.filter { controls[$0].kind == .button(.primary) }
        if primaries.count > 1 { violate("'\(name)' has two primary buttons") }
        if let lastField, let primary = primaries.first, primary < lastField {
            violate("'\(name)' has its primary button above a field")
        }
        let types = controls.compactMap(\.contentType)
        if Set(types).count != types.count { violate("'\(name)' has two fields of one meaning: \(types)") }
        for control in controls {
            guard case .field(let kind) = control.kind else { continue }
            if kind.isSecret, control.contentType != kind.contentType {
                violate("'\(control.id)' is filled in wrongly")
            }
            if kind.isMasked != (control.trait == .secureTextField), !control.isRevealed {
                violate("'\(control.id)' is read aloud wrongly")
            }
        }
        // The password manager stores a password with the name above it.
        let hasName = controls.contains { $0.id == .email }
        if hasName, types.contains(.password) || types.contains(.newPassword), !types.contains(.username) {
            violate("'\(name)' has a password without a user name")
        }
    }

    private mutating func checkPrinting(_ state: ExploredScreen<S>, _ name: String) {
        guard state.machine.screen.fields.holdsSecret || state.request != nil, states.count < 400 else { return }
        var text = "\(state) \(String(reflecting: state)) \(state.machine.controls)"
        dump(state, to: &text)
        if text.contains(ScreenScenario<S>.secret) || text.contains(ScreenScenario<S>.code) {
            violate("'\(name)' prints a secret")
        }
    }

    /// Checks that the user finds a way out of each state, without an answer of the world.
    private mutating func checkExits() {
        var sources: [[Int]] = Array(repeating: [], count: states.count)
        for (from, targets) in ownWays.enumerated() { for target in targets { sources[target].append(from) } }
        var reached = doors.union(states.indices.filter { states[$0].machine.outcome != nil })
        if reached.isEmpty { violate("no state is an end") }
        var open = Array(reached)
        while let state = open.popLast() {
            for source in sources[state] where reached.insert(source).inserted { open.append(source) }
        }
        let stuck = Set(states.indices.filter { !reached.contains($0) }.map { states[$0].name(scenario) })
        for name in stuck.sorted() { violate("'\(name)' has no exit") }
    }

    /// The table of states and events, in Markdown.
    var markdown: String {
        var lines = [
            "### \(scenario.name)", "", "\(states.count) states.", "", "| state | event | next |", "|---|---|---|",
        ]
        for (state, events) in table.sorted(by: { $0.key < $1.key }) {
            let next = Dictionary(grouping: events.keys) { events[$0, default: []].sorted().joined(separator: " or ") }
            for (target, names) in next.sorted(by: { ($0.key, $0.value.count) < ($1.key, $1.value.count) }) {
                lines.append("| \(state) | \(shortened(names, among: next)) | \(target) |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the names of events, where the failures that most often lead to the same state are written as one.
    private func shortened(_ names: [String], among next: [String: [String]]) -> String {
        let failures = names.filter { $0.hasPrefix("failure ") }
        let others = names.filter { !$0.hasPrefix("failure ") }
        let all = next.values.flatMap(\.self).filter { $0.hasPrefix("failure ") }.count
        guard failures.count * 2 > all, failures.count > 1 else { return names.sorted().joined(separator: ", ") }
        let name = failures.count == all ? "any failure" : "any other failure"
        return (others.sorted() + [name]).joined(separator: ", ")
    }
}

extension ScreenEffect {
    fileprivate var isRequest: Bool { if case .perform = self { true } else { false } }
    fileprivate var isNavigation: Bool { otherScreen != nil }
    fileprivate var otherScreen: S.Outcome? { if case .navigate(let outcome) = self { outcome } else { nil } }
    fileprivate var isAnnouncement: Bool { if case .announce = self { true } else { false } }
}
