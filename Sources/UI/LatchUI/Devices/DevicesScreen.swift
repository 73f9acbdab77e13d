// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The devices on which the user is signed in, with this one first.
public struct DevicesScreen: Screen {
    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Load the list.
        case load
        /// Sign out a device.
        case signOut(id: String)
        /// Sign out all devices but this one.
        case signOutOthers
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The current list.
        case loaded([SignedInDevice])
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The user has left the screen.
        case closed
    }

    /// The devices; nil until they are loaded.
    public private(set) var devices: [SignedInDevice]?
    /// Whether the user is asked to confirm the sign-out of all others.
    public private(set) var isSigningOutOthers = false
    /// The notice of the last change; nil before one.
    private var news: Phrase?
    /// The name of the device that is being signed out.
    private var leaving: Phrase?
    /// Whether all others are being signed out.
    private var areOthersLeaving = false

    /// Creates the screen.
    public init() {}

    /// The heading over the signed-in devices.
    public var title: Phrase { Phrase("devices.title") }

    /// The request for the list; nil once it is loaded.
    public var loading: Request? { devices == nil ? .load : nil }

    /// The request for the current list.
    public var refreshing: Request? { .load }

    /// The devices, and the button for all others.
    public var content: [Control] {
        let others = devices?.filter { !$0.isCurrent } ?? []
        if isSigningOutOthers {
            return [
                .notice(.warning, Phrase("devices.signOutOthers.warning", .count(others.count))),
                .button(.confirmSignOutOthers, .destructive, Phrase("devices.signOutOthers")),
                .button(.back, .cancel, Phrase("button.back")),
            ]
        }
        let news = news.map { [Control.notice(.success, $0)] } ?? []
        let signOut: [Control] =
            others.isEmpty ? [] : [.button(.signOutOthers, .destructive, Phrase("devices.signOutOthers"))]
        return news + (devices ?? []).map(row) + signOut + [.button(.done, .cancel, Phrase("button.close"))]
    }

    private func row(_ device: SignedInDevice) -> Control {
        let name = Self.name(of: device)
        let detail =
            device.isCurrent ? Phrase("devices.this") : device.lastUse.map { Phrase("devices.lastUse", .date($0)) }
        let actions: [Control] =
            device.isCurrent
            ? []
            : [.button(.signOutDevice(device.id), .destructive, Phrase("devices.signOut", .phrase(name)))]
        return .row(
            ControlID("device", item: device.id), name, detail: detail, isOn: device.isCurrent, actions: actions)
    }

    private static func name(of device: SignedInDevice) -> Phrase {
        device.name.map { .verbatim($0) } ?? Phrase("devices.unnamed")
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        (news, leaving, areOthersLeaving) = (nil, nil, false)
        switch control {
        case .signOutOthers, .back:
            isSigningOutOthers = control == .signOutOthers
            return .stay
        case .confirmSignOutOthers:
            (isSigningOutOthers, areOthersLeaving) = (false, true)
            return .perform(.signOutOthers)
        case .done: return .finish(.closed)
        default:
            guard let device = devices?.first(where: { $0.id == control.item }) else { return .stay }
            leaving = Self.name(of: device)
            return .perform(.signOut(id: device.id))
        }
    }

    /// Handles the list.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch response {
        case .loaded(let all):
            if let before = devices, before.count > all.count {
                // A reloaded list does not show whether this user has signed the others out.
                let others = areOthersLeaving ? Phrase("devices.signedOut", .count(before.count - all.count)) : nil
                news = leaving.map { Phrase("devices.signedOut.one", .phrase($0)) } ?? others
            }
            (leaving, areOthersLeaving) = (nil, false)
            devices = all.filter(\.isCurrent) + all.filter { !$0.isCurrent }
            return .stay
        }
    }

    /// Handles a failure: if the device no longer exists, the list is loaded again.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        if failure.reason == .missing { devices = nil }
        return failure
    }
}

extension ControlID {
    /// The button that signs out all other devices.
    public static let confirmSignOutOthers: ControlID = "confirmSignOutOthers"

    /// Returns the button that signs a device out.
    public static func signOutDevice(_ id: String) -> ControlID { ControlID("signOutDevice", item: id) }
}

/// The model of a ``DevicesScreen``.
public typealias DevicesModel = ScreenModel<DevicesScreen>

extension ScreenModel where S == DevicesScreen {
    /// Creates the list of the devices of a client's user.
    public convenience init(
        _ client: AuthClient, clock: WallClock = .system,
        onFinish: @escaping @MainActor (DevicesScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(DevicesScreen(), clock: clock, onFinish: onFinish) { request in
            switch request {
            case .load: break
            case .signOut(let id): try await client.signOut(device: id)
            case .signOutOthers: try await client.signOutOtherDevices()
            }
            return .loaded(try await client.devices())
        }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// The route to the list of signed-in devices.
    public static var devices: AuthRoute { AuthRoute(.devices) }
}

extension DevicesScreen: RoutedScreen {
    static var kind: AuthRoute.Kind { .devices }

    static func isAvailable(in flow: AuthFlow) -> Bool { flow.hasUser }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> DevicesModel? {
        DevicesModel(factory.client, clock: factory.clock)
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move { .close() }
}

extension DevicesScreen: ReplaceableScreen {
    /// The devices.
    public static var replacement: ScreenReplacement<Outcome> { ScreenReplacement(of: Self.self) }
}
