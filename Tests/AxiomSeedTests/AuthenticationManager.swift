// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import AxiomCore
import Foundation
import UserService

// Steps 2 and 3 of the seed, as an app would have them that has no Combine: `@Published` and `ObservableObject` are the
// smallest that compile, the timer is a task, and what the seed calls of the app's own (keychain, analytics) is a record.

protocol ObservableObject: AnyObject {}

@propertyWrapper struct Published<Value> {
    var wrappedValue: Value
}

enum AuthenticationError: Error {
    case validationFailed([String])
}

struct DeviceInfo {
    static let current = DeviceInfo()
    var description: String { "test device" }
}

extension UserManagerClient {
    init() { self.init(service: FakeUserService.service(), reducer: SessionReducer()) }
}

@MainActor
class AuthenticationManager: ObservableObject {
    private let client: UserManagerClient

    @Published var currentUser: User?
    @Published var isAuthenticated = false
    @Published var isLoading = false
    @Published var error: String?

    @Published var currentSession: UserSession?
    @Published var sessionExpiry: Date?

    /// The entries that Axiom's tutorial stores in the keychain.
    var storedTokens: [String] = []
    private var stateObserver: Task<Void, Never>?

    init(client: UserManagerClient = UserManagerClient()) {
        self.client = client
        observeAuthState()
    }

    private func observeAuthState() {
        stateObserver = Task { [weak self, client] in
            for await state in client.stateStream {
                self?.show(state)
            }
        }
    }

    private func show(_ state: UserManagerState) {
        self.currentUser = state.users.first
        self.currentSession = state.sessions.first
        self.isLoading = state.isLoading
        self.error = state.error?.localizedDescription

        self.isAuthenticated = currentUser != nil && currentSession != nil
        self.sessionExpiry = currentSession?.expiresAt
    }

    deinit {
        stateObserver?.cancel()
    }
}

extension AuthenticationManager {
    func register(
        email: String,
        password: String,
        firstName: String,
        lastName: String,
        username: String
    ) async throws {
        let request = RegisterRequest(
            email: email,
            password: password,
            username: username,
            firstName: firstName,
            lastName: lastName,
            acceptTerms: true
        )

        let action = UserManagerAction.register(request)

        guard action.isValid else {
            throw AuthenticationError.validationFailed(action.validationErrors)
        }

        try await client.process(action)

        if currentUser != nil, let session = currentSession {
            storedTokens.append(session.accessToken)
        }
    }

    func login(email: String, password: String, rememberMe: Bool = false) async throws {
        let request = LoginRequest(
            email: email,
            password: password,
            rememberMe: rememberMe,
            deviceInfo: DeviceInfo.current.description
        )

        try await client.process(.login(request))

        if let session = currentSession {
            storedTokens.append(session.accessToken)
        }
    }

    func logout(logoutAllDevices: Bool = false) async throws {
        guard let session = currentSession else { return }

        let request = LogoutRequest(
            sessionToken: session.accessToken,
            logoutAllDevices: logoutAllDevices
        )

        try await client.process(.logout(request))
        storedTokens = []
    }

    func refreshTokenIfNeeded(within seconds: TimeInterval = 300) async throws {
        guard let session = currentSession,
            session.expiresAt.timeIntervalSinceNow < seconds
        else { return }

        let request = RefreshTokenRequest(
            refreshToken: session.refreshToken,
            deviceInfo: DeviceInfo.current.description
        )

        try await client.process(.refreshToken(request))

        if let newSession = currentSession {
            storedTokens.append(newSession.accessToken)
        }
    }

    func loadUserProfile() async throws {
        guard let session = currentSession else { return }
        let request = GetProfileRequest(
            userId: session.userId,
            includePreferences: true,
            includeDevices: false
        )
        try await client.process(.getProfile(request))
    }

    func getActiveDevices() async throws -> [UserDevice] {
        try await client.process(.getActiveDevices(.init()))
        return await client.getCurrentState().devices
    }

    func revokeDevice(_ deviceId: String) async throws {
        let request = RevokeDeviceRequest(deviceId: deviceId)
        try await client.process(.revokeDevice(request))
    }
}
