// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation
public import LatchTexts

/// A screen as a value: its content, and how it changes with a user's input or a response.
///
/// It contains no clock, no task and no closure. ``ScreenMachine`` adds the rules of all screens: one request at a
/// time, cancellation, failures, removal of secrets, focus and announcements. ``ScreenModel`` performs the requests.
public protocol Screen: Hashable, Sendable {
    /// A request that the model performs for the screen; at most one runs at a time.
    associatedtype Request: Hashable, Sendable
    /// The response to a request.
    associatedtype Response: Sendable
    /// The result with which the screen ends, or leads to another screen.
    associatedtype Outcome: Hashable, Sendable

    /// The heading of the current step, which is also the title of its window.
    var title: Phrase { get }
    /// The text fields of the current step.
    var fields: Fields { get set }
    /// The controls below the title, in reading order, while no request is running.
    var content: [Control] { get }
    /// The request that loads missing content; nil once all content is loaded.
    var loading: Request? { get }
    /// The request that waits for the user, such as for a passkey that the keyboard suggests; nil for none.
    ///
    /// It waits while the screen is shown and no other request is running.
    var assistance: Request? { get }
    /// The request that reloads a list when the user pulls it down; nil for a screen without a list.
    var refreshing: Request? { get }
    /// The date at which the current step expires; nil if it does not.
    var deadline: Date? { get }
    /// Whether the user can swipe the current step away; false for content that is shown only once.
    var canBeDismissed: Bool { get }
    /// The initial state, for a screen that is shown again after its end.
    var beginning: Self { get }

    /// Handles the press of an enabled button, or of a row.
    mutating func press(_ control: ControlID) -> ScreenStep<Self>
    /// Handles the change of an enabled switch.
    mutating func set(_ control: ControlID, to isOn: Bool) -> ScreenStep<Self>
    /// Handles the response to the last request.
    mutating func receive(_ response: Response) -> ScreenStep<Self>
    /// Handles the response to a request that was canceled too late.
    ///
    /// `isBusy` is true while another request is running. It is also true while the user is typing in a form that the
    /// response would remove.
    mutating func receiveLate(_ response: Response, isBusy: Bool) -> ScreenStep<Self>
    /// Handles a failure of the last request, and returns the notice to show; nil if the screen shows it differently.
    mutating func receive(_ failure: ScreenFailure) -> ScreenFailure?
    /// Handles a deep link of the app.
    mutating func open(_ link: ScreenLink) -> ScreenStep<Self>
    /// Handles the return of the user to the app.
    mutating func resume() -> ScreenStep<Self>
    /// Handles the cancellation of the running request, or the disappearance of a screen without one.
    mutating func leave()
    /// Leaves the step that has expired, and returns the notice to show.
    mutating func expire() -> ScreenFailure?
    /// Returns what is announced to users of assistive technologies when a request begins, such as "Signing in…".
    func progress(of request: Request) -> Phrase
}

extension Screen {
    /// An empty form, for screens that the user only reads or taps.
    public var fields: Fields {
        get { Fields() }
        set {}
    }
    /// No content to load.
    public var loading: Request? { nil }
    /// Nil: the screen begins no request before the user acts.
    public var assistance: Request? { nil }
    /// No list.
    public var refreshing: Request? { nil }
    /// No expiry.
    public var deadline: Date? { nil }
    /// True.
    public var canBeDismissed: Bool { true }
    /// The screen as it is.
    public var beginning: Self { self }

    /// Changes nothing.
    public mutating func set(_ control: ControlID, to isOn: Bool) -> ScreenStep<Self> { .stay }
    /// Handles it like any other response; while busy, only a response that ends the screen counts, such as a sign-in.
    public mutating func receiveLate(_ response: Response, isBusy: Bool) -> ScreenStep<Self> {
        var answered = self
        let step = answered.receive(response)
        if isBusy { guard case .finish = step else { return .stay } }
        self = answered
        return step
    }
    /// Returns the failure, which the screen then shows as a notice.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? { failure }
    /// Ignores the link.
    public mutating func open(_ link: ScreenLink) -> ScreenStep<Self> { .stay }
    /// Stays as it is.
    public mutating func resume() -> ScreenStep<Self> { .stay }
    /// Stays as it is; ``ScreenMachine`` has removed the secrets of the fields.
    public mutating func leave() {}
    /// Stays as it is.
    public mutating func expire() -> ScreenFailure? { nil }
    /// Returns "One moment…".
    public func progress(of request: Request) -> Phrase { Phrase("progress.waiting") }

    /// Returns the step that sends a valid form; otherwise stays, and shows the problems at the fields.
    public mutating func submitting(_ request: (Fields) -> Request) -> ScreenStep<Self> {
        fields.validate() ? .perform(request(fields)) : .stay
    }
}

/// The next step of a screen.
public enum ScreenStep<S: Screen>: Hashable, Sendable {
    /// Stays on the screen, whose content may have changed.
    case stay
    case perform(S.Request)
    /// Leads to another screen, such as the registration; this one stays for the return, without its secrets.
    case navigate(S.Outcome)
    /// Ends the screen.
    case finish(S.Outcome)
}

/// An input of the user, or of the app on the user's behalf; its description redacts typed text.
public enum ScreenInput: Hashable, Sendable, CustomReflectable, CustomStringConvertible {
    /// The screen is shown, for the first time or again.
    case appear
    /// The screen is no longer shown: its secrets are removed, and a running request continues.
    case disappear
    /// The user has returned to the app.
    case activate
    /// The user reloads the list.
    case refresh
    /// The text of a field has changed.
    case edit(ControlID, String)
    /// A secret is shown or hidden.
    case reveal(ControlID, Bool)
    /// A switch has changed.
    case set(ControlID, Bool)
    /// The focus has moved to a control; nil for none.
    case focus(ControlID?)
    /// A button or a row was pressed.
    case press(ControlID)
    /// The app was opened by a link in an email.
    case open(ScreenLink)

    /// The input, with the text of a field redacted.
    public var description: String {
        switch self {
        case .appear: "appear"
        case .disappear: "disappear"
        case .activate: "activate"
        case .refresh: "refresh"
        case .edit(let id, _): "edit(\(id), <redacted>)"
        case .reveal(let id, let isRevealed): "reveal(\(id), \(isRevealed))"
        case .set(let id, let isOn): "set(\(id), \(isOn))"
        case .focus(let id): "focus(\(id.map { $0.description } ?? "nil"))"
        case .press(let id): "press(\(id))"
        case .open(let link): "open(\(link))"
        }
    }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What changes a screen: the user, or a response.
public enum ScreenEvent<S: Screen>: Sendable {
    case input(ScreenInput)
    /// The response to the running request.
    case response(S.Response)
    /// The response to a request that was canceled too late.
    case lateResponse(S.Response)
    /// The failure of the running request.
    case failure(ScreenFailure)
    /// The failure of the screen's assistance; it is not shown if its reason is `cancelled`.
    case assistanceFailure(ScreenFailure)
    /// The current date, once a deadline has passed.
    case time(Date)
}

/// An effect that a screen has on the world.
public enum ScreenEffect<S: Screen>: Hashable, Sendable {
    /// Begin a request.
    case perform(S.Request)
    /// Cancel the running request; a response that still arrives is the event `lateResponse`.
    case cancel
    /// Begin the screen's assistance; its response is an event like a request's.
    case beginAssistance(S.Request)
    /// Cancel the screen's assistance.
    case endAssistance
    /// Read a sentence to users of assistive technologies.
    case announce(Phrase)
    /// Show another screen; this one can be shown again as it is.
    case navigate(S.Outcome)
    /// Leave the screen.
    case finish(S.Outcome)
}
