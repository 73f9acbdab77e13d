// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import AxiomCore
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentityTesting
import LatchRPC
import UserService

/// The steps of a generated client of userservice.v1, on the same server.
enum GeneratedClientSteps {
    static let all: [DemoStep] = [
        DemoStep(code: "generated-client", name: "a generated client: actions, state, rules", play: client),
        DemoStep(code: "second-factor", name: "a second factor, and each code once", play: secondFactor),
        DemoStep(code: "devices", name: "devices are listed, and one is revoked", play: devices),
    ]

    private static let email = "grace@example.com"
    private static let password = "nanoseconds of copper wire"

    /// A reducer that applies responses to the state, which the contract leaves to the app.
    private struct SignedIn: UserManagerReducer {
        private func keep(_ response: AuthResponse, in state: inout UserManagerState) {
            if let user = response.user { state = state.addingUser(user) }
            if let session = response.session, session.isActive { state = state.withSessions([session]) }
        }

        func register(_ request: RegisterRequest, response: AuthResponse, state: inout UserManagerState) {
            keep(response, in: &state)
        }
        func login(_ request: LoginRequest, response: AuthResponse, state: inout UserManagerState) {
            keep(response, in: &state)
        }
        func refreshToken(
            _ request: RefreshTokenRequest, response: AuthResponse, state: inout UserManagerState
        ) {
            keep(response, in: &state)
        }
        func verifyTwoFactor(
            _ request: VerifyTwoFactorRequest, response: AuthResponse, state: inout UserManagerState
        ) {
            keep(response, in: &state)
        }
        func getProfile(_ request: GetProfileRequest, response user: User, state: inout UserManagerState) {
            state = state.addingUser(user)
        }
        func logout(_ request: LogoutRequest, state: inout UserManagerState) { state = UserManagerState() }
    }

    /// Returns a client without an account, or with an access token.
    private static func client(at stage: DemoStage, _ access: String? = nil) throws -> UserManagerClient {
        var interceptors: [any Interceptor] = []
        if let access {
            interceptors = [CredentialInterceptor(BearerToken(access), for: .host(stage.baseURL.host() ?? ""))]
        }
        let channel = try RPCChannel(stage.baseURL.absoluteString, interceptors: interceptors, codec: .json)
        return UserManagerClient(service: UserServiceStub(channel), reducer: SignedIn())
    }

    /// Signs up and in through generated actions; an invalid action is not sent.
    private static func client(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let client = try client(at: stage)
        let short = RegisterRequest(email: email, password: "short")
        try expect(!UserManagerAction.register(short).isValid, "a short password counts as valid")
        _ = try await refusal("a short password") { try await client.process(.register(short)) }
        try expect(await client.getStatistics().calls == 0, "an invalid action was sent")
        let action = UserManagerAction.register(
            RegisterRequest(
                email: email, password: password, username: "grace", firstName: "Grace", lastName: "Hopper",
                acceptTerms: true))
        try expect(!"\(action)".contains(password), "the description of an action shows the password")
        try await client.process(action)
        let pending = await client.getCurrentState()
        try expect(pending.users.first?.firstName == "Grace", "the state has no user")
        try expect(pending.sessions.isEmpty, "there is a session before the address is verified")
        let token = try await stage.mails.token(subject: "Confirm your email address", to: email, amongOthers: true)
        try await client.process(.verifyEmail(VerifyEmailRequest(verificationToken: token)))
        try await client.process(.login(LoginRequest(email: email, password: password)))
        let state = await client.getCurrentState()
        try expect(state.users.first?.emailVerified == true, "the state's user is not verified")
        try expect(state.sessions.first?.accessToken.isEmpty == false, "the state has no session")
        try expect(!state.isLoading && state.error == nil, "the state is still loading or has an error")
        let wrong = LoginRequest(email: email, password: "not \(password)")
        _ = try await refusal("a wrong password") { try await client.process(.login(wrong)) }
        let after = await client.getCurrentState()
        try expect(after.error != nil && after.sessions == state.sessions, "a failed login changed the session")
        return .init("register, verify, login as actions; the state has user, session, and later the error")
    }

    /// Sets up the second factor, and signs in with it.
    private static func secondFactor(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let first = try await login(stage)
        let access = try require(first.session?.accessToken, "there is no session")
        let owner = try client(at: stage, access)
        let setup = try await owner.setupTwoFactor(SetupTwoFactorRequest())
        let app = try require(AuthenticatorApp(secret: setup.secret), "the secret of the second factor is not base 32")
        try await owner.verifyTwoFactor(VerifyTwoFactorRequest(code: app.code(at: .now)))
        let half = try await login(stage)
        try expect(half.requires2fa && half.user == nil, "the password alone is enough")
        let challenge = try require(half.session?.accessToken, "there is no login to complete")
        let other = try client(at: stage, challenge)
        _ = try await refusal("a session without the second factor") {
            try await other.process(.getActiveDevices(.init()))
        }
        // A code is valid only once, so this is the code of the next half minute.
        let code = app.code(at: .now + 30)
        try await other.process(.verifyTwoFactor(VerifyTwoFactorRequest(code: code)))
        try expect(await other.getCurrentState().sessions.count == 1, "the login was not completed")
        let again = try await login(stage)
        let third = try client(at: stage, again.session?.accessToken)
        _ = try await refusal("the same code twice") {
            try await third.process(.verifyTwoFactor(VerifyTwoFactorRequest(code: code)))
        }
        stage.otherDevice = (owner, await other.getCurrentState().sessions.first?.accessToken)
        stage.calls += 3
        return .init(
            "the password alone is not enough; one code, one login; \(setup.recoveryCodes.count) recovery codes",
            ["recovery_codes": .integer(Int64(setup.recoveryCodes.count))])
    }

    /// Lists the devices from one of them, and revokes the other.
    private static func devices(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let (owner, access) = try require(stage.otherDevice, "no account signed in twice")
        let token = try require(access, "no account signed in twice")
        let other = try client(at: stage, token)
        try await other.process(.getActiveDevices(.init()))
        let devices = await other.getCurrentState().devices
        try expect(devices.count >= 2, "\(devices.count) devices are listed")
        let first = try require(devices.last, "no device is listed")
        try await other.process(.revokeDevice(RevokeDeviceRequest(deviceId: first.id)))
        let left = await other.getCurrentState().devices
        try expect(left.count == devices.count - 1, "the device is still in the state")
        _ = try await refusal("a revoked device") { try await owner.process(.getActiveDevices(.init())) }
        try await other.process(.logout(LogoutRequest(sessionToken: token)))
        let after = await other.getCurrentState()
        try expect(after.sessions.isEmpty && after.devices.isEmpty, "the state outlives the logout")
        stage.calls += 3
        return .init("of \(devices.count) devices one was revoked, and is refused immediately")
    }

    private static func login(_ stage: DemoStage) async throws -> AuthResponse {
        try await client(at: stage).login(LoginRequest(email: email, password: password, deviceInfo: "demo"))
    }
}
