// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation
public import LatchTexts
public import Observation

/// A screen for a view: observable properties on the main actor, and the task of the running request.
///
/// ```swift no-check
/// @State private var model = SignInModel(client) { outcome in navigate(outcome) }
///
/// var body: some View { SignInView(model) }
/// ```
///
/// All decisions are made by ``ScreenMachine``. A request keeps its model alive until it ends. So ``onFinish`` also
/// reports a sign-in that completes after its sheet has closed.
@MainActor @Observable
public final class ScreenModel<S: Screen> {
    /// A sentence for assistive technologies; its number distinguishes it from an equal sentence before it.
    public struct Announcement: Hashable, Sendable {
        /// The number of the announcement, from 1.
        public let number: Int
        /// The sentence.
        public let phrase: Phrase
    }

    /// A function that does the work of a request.
    public typealias Perform = @Sendable (S.Request) async throws -> S.Response

    /// The state.
    public private(set) var machine: ScreenMachine<S>
    /// The last announcement; nil if there was none yet.
    public private(set) var announcement: Announcement?

    /// The base URLs of the email links for this screen, such as the base URL of the model's client.
    @ObservationIgnored public var linkBases: [URL] = []

    /// A function that is called when the screen ends, and when it leads to another one.
    @ObservationIgnored public var onFinish: @MainActor (S.Outcome) -> Void

    /// A function that is called when a request fails, unless the user has canceled it.
    @ObservationIgnored public var onFailure: @MainActor (ScreenFailure) -> Void = { _ in }

    /// The views that show the screen.
    @ObservationIgnored private var views: Set<UUID> = []
    @ObservationIgnored private let clock: WallClock
    @ObservationIgnored private let perform: Perform
    /// The running request; its number distinguishes its response from a late one.
    @ObservationIgnored private var request: (number: Int, task: Task<Void, Never>)?
    @ObservationIgnored private var requests = 0
    /// The last request, for a repetition after a step-up; nil if the form has a secret.
    @ObservationIgnored private var repeatable: S.Request?
    /// The last request that was canceled and has not ended yet.
    @ObservationIgnored private var cancelled: (number: Int, task: Task<Void, Never>)?
    /// The running assistance with its number, and the last one that was canceled and has not ended yet.
    @ObservationIgnored private var assistance: (number: Int, task: Task<Void, Never>)?
    @ObservationIgnored private var endedAssistance: (number: Int, task: Task<Void, Never>)?
    /// The task that waits for the machine's deadline.
    @ObservationIgnored private var alarm: (date: Date, task: Task<Void, Never>)?

    /// Creates the model of a screen.
    ///
    /// - Parameters:
    ///   - screen: The screen at its beginning, or as it was restored.
    ///   - clock: The clock of deadlines.
    ///   - onFinish: Is called when the screen ends, and when it leads to another one.
    ///   - perform: Does the work of a request; its error is shown as a ``ScreenFailure``.
    public init(
        _ screen: S, clock: WallClock = .system, onFinish: @escaping @MainActor (S.Outcome) -> Void = { _ in },
        perform: @escaping Perform
    ) {
        machine = ScreenMachine(screen)
        self.clock = clock
        self.onFinish = onFinish
        self.perform = perform
    }

    deinit {
        alarm?.task.cancel()
        assistance?.task.cancel()
    }

    /// The screen's value, without its running request.
    public var screen: S { machine.screen }
    /// The controls, in reading order.
    public var controls: [Control] { machine.controls }
    /// The control with the focus; nil for none.
    public var focus: ControlID? { machine.focus }
    /// Whether a request is running.
    public var isBusy: Bool { machine.isBusy }
    /// The outcome; nil until the screen ends.
    public var outcome: S.Outcome? { machine.outcome }

    /// Returns the control with an identifier, including the buttons of rows; nil if the screen does not show it.
    public func control(_ id: ControlID) -> Control? {
        controls.lazy.flatMap(\.withActions).first { $0.id == id }
    }

    /// Handles an input.
    public func send(_ input: ScreenInput) { receive(.input(input)) }

    /// Opens the link of an email, and returns whether the URL is below one of ``linkBases``.
    @discardableResult
    public func open(_ url: URL) -> Bool {
        guard let link = ScreenLink(url, below: linkBases) else { return false }
        send(.open(link))
        return true
    }

    /// Records that a view shows the screen; several windows may show it.
    public func appear(in view: UUID) {
        let isShown = !views.isEmpty
        views.insert(view)
        if !isShown || outcome != nil { send(.appear) }
    }

    /// Records that a view no longer shows the screen; typed text stays while another view does.
    public func disappear(from view: UUID) {
        views.remove(view)
        if views.isEmpty { send(.disappear) }
    }

    /// Presses a button.
    public func press(_ id: ControlID) { send(.press(id)) }

    /// Changes the text of a field.
    public func edit(_ id: ControlID, _ text: String) { send(.edit(id, text)) }

    /// Waits until no request is running, for tests and for programs without a screen.
    public func settled() async {
        while let running = request ?? cancelled { await running.task.value }
    }

    /// Changes what the screen shows, without an input.
    func update(_ change: (inout S) -> Void) { machine.update(change) }

    private func receive(_ event: ScreenEvent<S>) { follow(machine.receive(event)) }

    private func follow(_ effects: [ScreenEffect<S>]) {
        for effect in effects {
            switch effect {
            case .perform(let request): begin(request)
            case .cancel: cancel()
            case .beginAssistance(let request): beginAssistance(request)
            case .endAssistance: endAssistance()
            case .announce(let phrase):
                announcement = Announcement(number: (announcement?.number ?? 0) + 1, phrase: phrase)
            case .navigate(let outcome), .finish(let outcome): onFinish(outcome)
            }
        }
        watchDeadline()
    }

    private func begin(_ work: S.Request) {
        requests += 1
        repeatable = screen.fields.all.contains(where: \.kind.isSecret) ? nil : work
        let (number, perform, clock, before) = (requests, perform, clock, cancelled?.task)
        let assistance = endedAssistance?.task
        let task = Task {
            // One request at a time: a sign-in that was canceled too late makes this one unnecessary.
            await before?.value
            await assistance?.value
            let event: ScreenEvent<S>
            do {
                try Task.checkCancellation()
                event = .response(try await perform(work))
            } catch {
                event = .failure(ScreenFailure(error, at: clock.now))
            }
            end(number, event)
        }
        request = (number, task)
    }

    /// Handles the end of a request; after a cancellation, only a response counts.
    private func end(_ number: Int, _ event: ScreenEvent<S>) {
        if cancelled?.number == number { cancelled = nil }
        if request?.number == number {
            request = nil
            receive(event)
            if case .failure(let failure) = event, failure.reason != .cancelled { onFailure(failure) }
        } else if case .response(let response) = event {
            receive(.lateResponse(response))
        }
    }

    private func cancel() {
        guard let request else { return }
        request.task.cancel()
        cancelled = request
        self.request = nil
    }

    /// Begins the assistance, which may wait as long as the screen is shown and does not keep the model alive.
    private func beginAssistance(_ work: S.Request) {
        requests += 1
        let (number, perform, clock, before) = (requests, perform, clock, endedAssistance?.task)
        let task = Task { [weak self] in
            await before?.value
            let event: ScreenEvent<S>
            do {
                try Task.checkCancellation()
                event = .response(try await perform(work))
            } catch {
                event = .assistanceFailure(ScreenFailure(error, at: clock.now))
            }
            self?.endAssistance(number, event)
        }
        assistance = (number, task)
    }

    /// Handles the end of an assistance; after a cancellation, only a response counts.
    private func endAssistance(_ number: Int, _ event: ScreenEvent<S>) {
        if endedAssistance?.number == number { endedAssistance = nil }
        if assistance?.number == number {
            assistance = nil
            receive(event)
        } else if case .response(let response) = event {
            receive(.lateResponse(response))
        }
    }

    private func endAssistance() {
        guard let assistance else { return }
        assistance.task.cancel()
        endedAssistance = assistance
        self.assistance = nil
    }

    /// Waits for the machine's next deadline, if it has changed.
    private func watchDeadline() {
        let deadline = machine.deadline
        guard deadline != alarm?.date else { return }
        alarm?.task.cancel()
        alarm = deadline.map { date in
            let clock = clock
            let wait = Duration.seconds(max(0, date.timeIntervalSince(clock.now)))
            return (
                date,
                Task { [weak self] in
                    // A canceled sleep belongs to a deadline that no longer counts.
                    do { try await clock.sleep(for: wait) } catch { return }
                    self?.reach(date)
                }
            )
        }
    }

    private func reach(_ date: Date) {
        guard alarm?.date == date else { return }
        alarm = nil
        receive(.time(max(date, clock.now)))
    }
}

/// A model that repeats a request after the step-up that the server required for it.
@MainActor
protocol StepUpRepeating {
    /// Repeats the refused request after a step-up; does nothing if its form had a secret.
    func repeatAfterStepUp()
    /// Forgets the refused request, after the user has dismissed the step-up.
    func forgetRefusedRequest()
}

extension ScreenModel: StepUpRepeating {
    func repeatAfterStepUp() { follow(machine.repeatAfterStepUp(repeatable)) }

    func forgetRefusedRequest() { repeatable = nil }
}

extension ScreenModel: CustomReflectable {
    /// A mirror without children, so that a dump shows no request.
    public nonisolated var customMirror: Mirror { Mirror(self, children: [:]) }
}
