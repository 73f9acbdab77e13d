// SPDX-License-Identifier: Apache-2.0

public import LatchTexts
public import PortableFoundation

/// A screen as a value: its content, and what it makes of a user's input and of an answer.
///
/// It contains no clock, no task and no closure. ``ScreenMachine`` adds what all screens have in common: one request at a
/// time, its cancellation and its failures, secrets that leave with it, focus and announcements. ``ScreenModel`` performs
/// the requests.
public protocol Screen: Hashable, Sendable {
    /// The work that the screen asks of the world; at most one is under way.
    associatedtype Request: Hashable, Sendable
    /// The world's answer.
    associatedtype Response: Sendable
    /// The way on when the screen is done, or the user leaves it.
    associatedtype Outcome: Hashable, Sendable

    /// The title.
    var title: Phrase { get }
    /// The text fields of the current step.
    var fields: Fields { get set }
    /// The controls below the title, in reading order, while no request is under way.
    var content: [Control] { get }
    /// The request for the content that the screen still lacks; nil once it has all.
    var loading: Request? { get }
    /// The request that waits for the user while the screen is shown and no other one is under way, such as for a passkey of
    /// which the keyboard has suggestions; nil for none.
    var assistance: Request? { get }
    /// The request that loads a list again, as a user does by pulling it down; nil for a screen that is no list.
    var refreshing: Request? { get }
    /// The date at which the current step expires; nil if it does not.
    var deadline: Date? { get }
    /// Whether the user may leave the current step by a swipe, which loses what is shown only once.
    var canBeDismissed: Bool { get }
    /// The screen as it begins anew when it is shown again after its end.
    var beginning: Self { get }

    /// Takes the press of an enabled button, or of a row.
    mutating func press(_ control: ControlID) -> ScreenStep<Self>
    /// Takes the change of an enabled switch.
    mutating func set(_ control: ControlID, to isOn: Bool) -> ScreenStep<Self>
    /// Takes the answer to the last request.
    mutating func receive(_ response: Response) -> ScreenStep<Self>
    /// Takes the answer to a request that was cancelled too late; `isBusy` while another request is under way, or while the user
    /// is typing in a form that the answer would take away.
    mutating func receiveLate(_ response: Response, isBusy: Bool) -> ScreenStep<Self>
    /// Takes a failure of the last request, and returns the notice to show; nil if the screen shows it otherwise.
    mutating func receive(_ failure: ScreenFailure) -> ScreenFailure?
    /// Takes a deep link of the app.
    mutating func open(_ link: ScreenLink) -> ScreenStep<Self>
    /// Takes the return of the user to the app.
    mutating func resume() -> ScreenStep<Self>
    /// Takes the cancellation of the request that is under way, or the end of the screen's display without one.
    mutating func leave()
    /// Leaves the step that has expired, and returns the notice to show.
    mutating func expire() -> ScreenFailure?
    /// Returns what is announced to users of assistive technologies when a request begins, such as "Signing in…".
    func progress(of request: Request) -> Phrase
}

extension Screen {
    /// No fields.
    public var fields: Fields {
        get { Fields() }
        set {}
    }
    /// No content to load.
    public var loading: Request? { nil }
    /// No assistance.
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
    /// Takes it as any other answer; beside another request only one that ends the screen, such as a sign-in.
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

    /// Returns the request of a form whose texts are valid; otherwise stays, with the problems at the fields.
    public mutating func submitting(_ request: (Fields) -> Request) -> ScreenStep<Self> {
        fields.validate() ? .perform(request(fields)) : .stay
    }
}

/// The next step of a screen.
public enum ScreenStep<S: Screen>: Hashable, Sendable {
    /// Stays on the screen, whose content may have changed.
    case stay
    /// Performs a request.
    case perform(S.Request)
    /// Leads to another screen, such as the registration; this one stays as it is, without its secrets, for the way back.
    case navigate(S.Outcome)
    /// Ends the screen.
    case finish(S.Outcome)
}

/// An input of a user, or of the app in the user's name; what is typed does not print itself.
public enum ScreenInput: Hashable, Sendable, CustomReflectable, CustomStringConvertible {
    /// The screen is shown, at first or again.
    case appear
    /// The screen is no longer shown: its secrets are removed, and a request that is under way goes on to its answer.
    case disappear
    /// The user has returned to the app.
    case activate
    /// The user wants the list as it is now.
    case refresh
    /// A field has another text.
    case edit(ControlID, String)
    /// A secret is shown or hidden.
    case reveal(ControlID, Bool)
    /// A switch has changed.
    case set(ControlID, Bool)
    /// Another control has the focus; nil for none.
    case focus(ControlID?)
    /// A button or a row was pressed.
    case press(ControlID)
    /// The app was opened by a link of a mail.
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

/// An event of a screen.
public enum ScreenEvent<S: Screen>: Sendable {
    /// An input.
    case input(ScreenInput)
    /// The answer to the request that is under way.
    case response(S.Response)
    /// The answer to a request that was cancelled too late.
    case lateResponse(S.Response)
    /// The failure of the request that is under way.
    case failure(ScreenFailure)
    /// The failure of the screen's assistance; of one that has ended unnoticed, `cancelled`.
    case assistanceFailure(ScreenFailure)
    /// The date, once a deadline has passed.
    case time(Date)
}

/// An effect that a screen has on the world.
public enum ScreenEffect<S: Screen>: Hashable, Sendable {
    /// Begin a request.
    case perform(S.Request)
    /// Cancel the request that is under way; an answer that comes all the same is an event of its own.
    case cancel
    /// Begin the screen's assistance, whose answer is an event like that of a request.
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
