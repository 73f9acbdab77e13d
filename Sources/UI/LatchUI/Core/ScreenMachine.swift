// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation
import LatchTexts

/// A screen with the rules of all screens, as a state machine without side effects.
///
/// - One request at a time: while it is running, only its cancellation is enabled.
/// - A password or code is removed when a request takes it, and when the user leaves the screen. It does not come back
///   after a failure, not even after a network failure: a secret is in memory for one attempt. The focus then returns
///   to its field, so that the keychain or the keyboard can fill it in again.
/// - A failure becomes a notice with a next step. It is announced, and the focus moves to the control that the user
///   needs next.
/// - Too many attempts lock the button that sent them, for the typed address. The lock ends after the server's wait, or
///   when the form changes. A recovery code bypasses it, since servers count only codes of the authenticator app.
/// - A response counts even after the screen has disappeared, or after a late cancellation: the server has done its
///   work. A late response does not replace a running request, unless it ends the screen. It does not remove a form in
///   which the user is typing.
/// - An assistance waits while the form is shown, and ends before each request.
public struct ScreenMachine<S: Screen>: Hashable, Sendable {
    /// The activity of a screen.
    public enum Activity: Hashable, Sendable {
        /// The screen waits for the user.
        case idle
        /// A request that a control began is running.
        case busy(ControlID)
        /// The screen has ended.
        case finished(S.Outcome)
    }

    /// The screen's value after the last event.
    public private(set) var screen: S
    /// Whether the screen waits, runs a request, or has ended.
    public private(set) var activity = Activity.idle
    /// The last failure, until the user continues; nil if there is none.
    public private(set) var failure: ScreenFailure?
    /// The control that has the focus; nil for none.
    public private(set) var focus: ControlID?
    /// The control whose request failed last; the failure is shown above it.
    private var origin: ControlID?
    /// The lock after too many attempts; nil if there is none.
    private var lock: Lock?
    /// Whether the user has typed text that no request has sent yet.
    package private(set) var isTyping = false
    /// Whether the screen is shown with an assistance that has not failed.
    private var isAssistanceWanted = false
    /// The initial state, for a screen that is shown again after its end.
    private let beginning: S

    /// The lock of a button after too many attempts for an account.
    private struct Lock: Hashable, Sendable {
        let until: Date
        let control: ControlID
        let account: [String]
        let failure: ScreenFailure
    }

    /// Creates the machine of a screen that is not shown yet.
    public init(_ screen: S) {
        self.screen = screen
        beginning = screen.beginning
    }

    /// Whether the user can swipe the screen away: not during a request, nor from content that is shown only once.
    public var canBeDismissed: Bool { !isBusy && (outcome != nil || screen.canBeDismissed) }

    /// Whether a request is running.
    public var isBusy: Bool { if case .busy = activity { true } else { false } }

    /// The assistance that waits for the user; nil while a request is running, and for a screen without an assistance.
    public var assistance: S.Request? { isAssistanceWanted && activity == .idle ? screen.assistance : nil }

    /// The outcome of the screen; nil until it has ended.
    public var outcome: S.Outcome? { if case .finished(let outcome) = activity { outcome } else { nil } }

    /// The lock for the typed address; nil if there is none.
    private var currentLock: Lock? { lock.flatMap { $0.account == screen.fields.account ? $0 : nil } }

    /// The date until which a button is locked for the typed address; nil without a lock.
    public var lockedUntil: Date? { currentLock?.until }

    /// The next date that the machine waits for; nil if it waits for none.
    public var deadline: Date? {
        if outcome != nil { return nil }
        return [lock?.until, isBusy ? nil : screen.deadline].compactMap(\.self).min()
    }

    /// Changes what the screen shows, without an event.
    mutating func update(_ change: (inout S) -> Void) { change(&screen) }

    /// Handles an event, and returns its effects in order.
    public mutating func receive(_ event: ScreenEvent<S>) -> [ScreenEffect<S>] {
        // A press of a disabled control and a link for another screen are ignored.
        if case .input(.press(let id)) = event, enabled(id)?.isButton != true { return [] }
        if case .input(.open(let link)) = event, !takes(link) { return [] }
        let before = self
        var effects: [ScreenEffect<S>]
        switch event {
        case .input(let input): effects = take(input)
        case .response(let response): effects = take(response)
        case .lateResponse(let response): effects = takeLate(response)
        case .failure(let failure):
            guard case .busy(let control) = activity else { return [] }
            activity = .idle
            fail(failure, of: control)
            effects = []
        case .assistanceFailure(let failure):
            guard assistance != nil else { return [] }
            isAssistanceWanted = false
            // The user did not start the assistance, so its cancellation is not shown.
            if failure.reason != .cancelled { (self.failure, origin) = (screen.receive(failure), nil) }
            effects = []
        case .time(let now):
            pass(now)
            effects = []
        }
        if hasOtherForm(than: before) {
            unlock()
            isTyping = false
        }
        if before.assistance != assistance { exchangeAssistance(before.assistance, &effects) }
        settle(after: event, before, &effects)
        return effects
    }
}

// MARK: - Events

extension ScreenMachine {
    /// Repeats the refused request after a step-up; the request is nil if it had a secret.
    mutating func repeatAfterStepUp(_ request: S.Request?) -> [ScreenEffect<S>] {
        guard activity == .idle, failure?.reason == .stepUpRequired else { return [] }
        failure = nil
        return request.map { follow(.perform($0), by: origin ?? .submit) } ?? []
    }

    private mutating func take(_ input: ScreenInput) -> [ScreenEffect<S>] {
        switch input {
        case .appear:
            if outcome != nil { self = ScreenMachine(beginning) }
            if screen.assistance != nil { isAssistanceWanted = true }
            guard !isBusy, let request = screen.loading else { return [] }
            return follow(.perform(request), by: .retry)
        case .disappear:
            isAssistanceWanted = false
            screen.fields.wipeSecrets()
            if !isBusy { screen.leave() }
            return []
        case .refresh:
            guard activity == .idle, let request = screen.refreshing else { return [] }
            return follow(.perform(request), by: .retry)
        case .activate:
            if screen.assistance != nil { isAssistanceWanted = true }
            return activity == .idle ? follow(screen.resume(), by: .retry) : []
        case .edit(let id, let text):
            guard activity == .idle, let field = screen.fields[id], !field.isFixed, field.text.value != text else {
                return []
            }
            screen.fields.set(text, of: id)
            isTyping = true
            failure = currentLock?.failure
            return []
        case .reveal(let id, let isRevealed):
            guard activity == .idle else { return [] }
            screen.fields.reveal(isRevealed, of: id)
            // The visible field replaces the hidden one, which had the focus.
            focus = id
            return []
        case .set(let id, let isOn):
            guard let control = enabled(id), control.kind == .toggle, control.isOn != isOn else { return [] }
            guard screen.fields[id] == nil else { return take(.edit(id, isOn ? FieldKind.checked : "")) }
            return follow(screen.set(id, to: isOn), by: id)
        case .focus(let id):
            if id.map({ enabled($0) != nil }) ?? true { focus = id }
            return []
        case .press(let id): return press(id)
        case .open(let link):
            let cancelled = leave()
            if outcome != nil { activity = .idle }
            failure = nil
            return cancelled + follow(screen.open(link), by: .submit)
        }
    }

    /// Ends the assistance before all other effects, or begins it after them.
    private func exchangeAssistance(_ before: S.Request?, _ effects: inout [ScreenEffect<S>]) {
        if before != nil { effects.insert(.endAssistance, at: 0) }
        if let assistance { effects.append(.beginAssistance(assistance)) }
    }

    /// Handles the response to the running request, or to an assistance.
    private mutating func take(_ response: S.Response) -> [ScreenEffect<S>] {
        guard case .busy(let control) = activity else { return takeLate(response) }
        activity = .idle
        return follow(screen.receive(response), by: control)
    }

    /// Handles the response to a request that was canceled too late.
    private mutating func takeLate(_ response: S.Response) -> [ScreenEffect<S>] {
        switch activity {
        case .busy:
            let step = screen.receiveLate(response, isBusy: true)
            guard case .finish = step else { return [] }
            return [.cancel] + follow(step, by: .submit)
        case .idle:
            var changed = screen
            let step = changed.receiveLate(response, isBusy: false)
            if case .finish = step {
            } else if isTyping, !changed.fields.hold(screen.fields) {
                return follow(screen.receiveLate(response, isBusy: true), by: .submit)
            }
            screen = changed
            return follow(step, by: .submit)
        case .finished:
            // The user has left: only a response that ends the screen counts, such as a sign-in.
            var screen = screen
            let step = screen.receive(response)
            guard case .finish = step else { return [] }
            self.screen = screen
            return follow(step, by: .submit)
        }
    }

    /// Whether a link is for this screen.
    private func takes(_ link: ScreenLink) -> Bool {
        var opened = screen
        return opened.open(link) != .stay || opened != screen
    }

    private mutating func press(_ id: ControlID) -> [ScreenEffect<S>] {
        if isBusy { return leave() }
        if id == .retry, let request = screen.loading { return follow(.perform(request), by: id) }
        if lockedUntil == nil { failure = nil }
        return follow(screen.press(id), by: id)
    }

    /// Cancels the running request, and removes the secrets.
    private mutating func leave() -> [ScreenEffect<S>] {
        screen.fields.wipeSecrets()
        screen.leave()
        guard isBusy else { return [] }
        activity = .idle
        return [.cancel]
    }

    private mutating func follow(_ step: ScreenStep<S>, by control: ControlID) -> [ScreenEffect<S>] {
        switch step {
        case .stay: return []
        case .perform(let request):
            activity = .busy(control)
            isTyping = false
            failure = nil
            screen.fields.wipeSecrets()
            return [.perform(request)]
        case .navigate(let outcome):
            isAssistanceWanted = false
            failure = nil
            screen.fields.wipeSecrets()
            return [.navigate(outcome)]
        case .finish(let outcome):
            activity = .finished(outcome)
            failure = nil
            screen.fields.wipeSecrets()
            return [.finish(outcome)]
        }
    }

    private mutating func fail(_ failure: ScreenFailure, of control: ControlID) {
        screen.fields.markSecretsAsSentInVain()
        // The user knows about the cancellation.
        guard failure.reason != .cancelled else { return }
        let acceptsCode = failure.reason == .locked && screen.fields.all.contains { $0.kind == .oneTimeCode }
        self.failure = screen.receive(acceptsCode ? failure.acceptingRecoveryCode() : failure)
        origin = control
        if let shown = self.failure, shown.reason != .locked, let field = shown.field, showsProblem(shown, at: field) {
            self.failure = nil
        }
        guard failure.reason == .locked, let until = failure.retryDate else { return }
        lock = Lock(
            until: until, control: control, account: screen.fields.account, failure: self.failure ?? failure)
    }

    /// Shows a failure at the field that the server refused, and returns whether the form has that field.
    private mutating func showsProblem(_ failure: ScreenFailure, at name: String) -> Bool {
        let ids =
            [ControlID(name)] + (name == "password" ? [.newPassword] : name == "currentPassword" ? [.password] : [])
        guard let id = ids.first(where: { screen.fields[$0] != nil }) else { return false }
        screen.fields.setProblem(failure.phrase, of: id)
        return true
    }

    private mutating func unlock() {
        lock = nil
        if failure?.reason == .locked { failure = nil }
    }

    private mutating func pass(_ now: Date) {
        if let lock, lock.until <= now { unlock() }
        if activity == .idle, let date = screen.deadline, date <= now { failure = screen.expire() ?? failure }
    }
}

// MARK: - Controls, focus and announcements

extension ScreenMachine {
    /// The controls of the screen, in reading order, as they are now.
    public var controls: [Control] { plainControls.map(adjusted) }

    /// The controls as the screen describes them, before a request or a lock disables them.
    private var plainControls: [Control] {
        var all = screen.content
        if activity == .busy(.retry) { all.insert(Control(.progress, .progress, Phrase("progress")), at: 0) }
        if activity == .idle, screen.loading != nil {
            all.append(.button(.retry, .secondary, Phrase("button.retry")))
        }
        if isBusy, !all.contains(where: { $0.id == .cancel }) {
            all.append(.button(.cancel, .cancel, Phrase("button.cancel")))
        }
        if let failure {
            // Above the pressed button, so that it is in view.
            let place = all.firstIndex { control in control.withActions.contains { $0.id == origin } }
            all.insert(.notice(.failure, failure.phrase, id: .failure), at: place ?? 0)
        }
        return [Control(.title, .heading, screen.title)] + all
    }

    /// Returns the control in its state during a request, during a lock, or after the end.
    private func adjusted(_ control: Control) -> Control {
        var control = control
        switch activity {
        case .idle:
            if control.id == lock?.control, currentLock != nil, !screen.fields.holdRecoveryCode {
                control.isEnabled = false
            }
        case .busy(let id):
            control.isEnabled = control.id == .cancel
            control.isBusy = control.id == id
        case .finished: control.isEnabled = false
        }
        control.returnKey = screen.fields.hasEmptyField(after: control.id) ? .next : .go
        control.actions = control.actions.map(adjusted)
        return control
    }

    /// The enabled control with an identifier; nil if it is missing or disabled.
    private func enabled(_ id: ControlID) -> Control? {
        plainControls.lazy.flatMap(\.withActions).filter { $0.id == id }.map(adjusted).first(where: \.isEnabled)
    }

    /// Moves the focus, and announces the changes.
    private mutating func settle(
        after event: ScreenEvent<S>, _ before: ScreenMachine<S>, _ effects: inout [ScreenEffect<S>]
    ) {
        announceRequest(before, event, &effects)
        guard activity == .idle else {
            focus = nil
            return
        }
        announce(before, event, &effects)
        announceEnd(before, event, &effects)
        if let wanted = wantedFocus(after: event, before) { focus = wanted }
        if let current = focus, enabled(current) == nil { focus = nil }
    }

    private func announce(_ before: ScreenMachine<S>, _ event: ScreenEvent<S>, _ effects: inout [ScreenEffect<S>]) {
        if let failure, isNews(failure, before, event) { effects.append(.announce(failure.phrase)) }
        // The notice of a lock stays while another button is pressed.
        if failure == nil || isPress(event), mayFindProblems(event), let problem = screen.fields.firstProblem?.problem {
            effects.append(.announce(problem))
        }
        if case .time = event, before.lockedUntil != nil, lockedUntil == nil {
            effects.append(.announce(Phrase("failure.locked.over")))
        }
        // The response to a press is announced even if it repeats the text before it.
        let repeats = isAnswer(event, before)
        guard repeats || screen != before.screen else { return }
        let known = repeats ? [] : Set(before.screen.content.filter(\.isNotice).map(\.label))
        for notice in screen.content where notice.isNotice && !known.contains(notice.label) {
            effects.append(.announce(notice.label))
        }
    }

    /// Announces the request that a press or a link has begun, its cancellation, and the end of the screen after its
    /// response.
    private func announceRequest(
        _ before: ScreenMachine<S>, _ event: ScreenEvent<S>, _ effects: inout [ScreenEffect<S>]
    ) {
        switch event {
        case .input(.press), .input(.open):
            for case .perform(let request) in effects {
                effects.append(.announce(screen.progress(of: request)))
                return
            }
            if before.isBusy, activity == .idle { effects.append(.announce(Phrase("progress.cancelled"))) }
        case .failure(let failure) where before.isBusy && failure.reason == .cancelled:
            effects.append(.announce(Phrase("progress.cancelled")))
        case .response where before.isBusy && before.activity != .busy(.retry) && outcome != nil:
            // While the screen is still shown.
            effects.insert(.announce(Phrase("progress.done")), at: 0)
        case .input, .response, .lateResponse, .failure, .assistanceFailure, .time: break
        }
    }

    /// Announces the end of a control's request, unless another announcement does.
    private func announceEnd(_ before: ScreenMachine<S>, _ event: ScreenEvent<S>, _ effects: inout [ScreenEffect<S>]) {
        guard case .response = event, before.isBusy, before.activity != .busy(.retry) else { return }
        if effects.contains(where: { if case .announce = $0 { true } else { false } }) { return }
        let hasOtherTitle = screen.title != before.screen.title
        effects.append(.announce(hasOtherTitle ? screen.title : Phrase("progress.done")))
    }

    private func isPress(_ event: ScreenEvent<S>) -> Bool { if case .input(.press) = event { true } else { false } }

    private func isAnswer(_ event: ScreenEvent<S>, _ before: ScreenMachine<S>) -> Bool {
        switch event {
        case .response: before.activity != .busy(.retry)
        case .lateResponse: true
        // The screen does not show this failure: a late response has already set the notice to announce.
        case .failure: failure == nil
        case .input, .assistanceFailure, .time: false
        }
    }

    /// Whether to announce a failure: each one that arrives, even if it repeats the last one.
    private func isNews(_ failure: ScreenFailure, _ before: ScreenMachine<S>, _ event: ScreenEvent<S>) -> Bool {
        switch event {
        case .failure, .assistanceFailure: return true
        case .input, .response, .lateResponse, .time: return before.failure != failure
        }
    }

    /// Whether an event may end with a problem at a field: a press of a button, or a failure.
    private func mayFindProblems(_ event: ScreenEvent<S>) -> Bool {
        switch event {
        case .input(.press), .failure: true
        case .input, .response, .lateResponse, .assistanceFailure, .time: false
        }
    }

    /// Returns the control to focus after an event; nil to leave the focus unchanged.
    private func wantedFocus(after event: ScreenEvent<S>, _ before: ScreenMachine<S>) -> ControlID? {
        if mayFindProblems(event), let field = screen.fields.firstProblem { return field.id }
        switch event {
        case .input(.appear), .input(.open): return firstEmptyField
        case .failure: return firstEmptyField ?? (screen.loading == nil ? nil : .retry)
        case .response, .lateResponse:
            return hasOtherForm(than: before) && !hasContentToUseFirst ? firstEmptyField : nil
        case .input(.press), .assistanceFailure, .time: return hasOtherForm(than: before) ? firstEmptyField : nil
        case .input: return nil
        }
    }

    private func hasOtherForm(than before: ScreenMachine<S>) -> Bool {
        before.screen.fields.all.map(\.id) != screen.fields.all.map(\.id)
    }

    /// Whether a code, a link or a row comes before the first field; the keyboard would cover it.
    private var hasContentToUseFirst: Bool {
        screen.content.prefix { !$0.isField }.contains { control in
            switch control.kind {
            case .code, .copy, .qrCode, .link, .row: true
            case .heading, .text, .notice, .field, .button, .toggle, .progress: false
            }
        }
    }

    /// The first empty required field, else the first field; nil if the whole form is optional, such as a search.
    private var firstEmptyField: ControlID? {
        let fields = screen.fields.all.filter { $0.kind != .checkbox && !$0.isFixed }
        guard fields.contains(where: \.isRequired) else { return nil }
        return (fields.first { $0.text.value.isEmpty && $0.isRequired } ?? fields.first)?.id
    }
}

extension Control {
    /// Whether the control is a notice.
    var isNotice: Bool { if case .notice = kind { true } else { false } }

    /// Whether the control is a text field.
    var isField: Bool { if case .field = kind { true } else { false } }

    /// Whether the control is a button.
    var isButton: Bool { if case .button = kind { true } else { false } }
}
