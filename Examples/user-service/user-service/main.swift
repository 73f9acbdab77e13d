// SPDX-License-Identifier: Apache-2.0

// Axiom's tutorial as a program: one account through all functions of the user service.
//
//     latch serve --store sqlite:users.sqlite &
//     swift run user-service http://127.0.0.1:8080 ada@example.com
import AxiomArchitecture
import Foundation
import LatchAuth
import UserAuthentication
import UserService

let arguments = CommandLine.arguments.dropFirst()
let url = arguments.first ?? "http://127.0.0.1:8080"
let email = arguments.dropFirst().first ?? "ada-\(UInt32.random(in: 0...UInt32.max))@example.com"
let (password, other) = ("a long enough sentence", "another long sentence")

do {
    try await tour()
} catch {
    print("user-service:", error)
    exit(1)
}

/// Plays the tutorial.
@MainActor func tour() async throws {
    // Where the profile stays for an offline start. An app names a folder of its own, and a `KeychainTokenStore`.
    let folder = FileManager.default.temporaryDirectory.appending(path: "user-service-\(UUID().uuidString)").path
    let store = InMemoryTokenStore<Tokens>()
    let manager = try AuthenticationManager(url: url, store: store, folder: folder)

    // What a form would say before anything is sent.
    let action = UserManagerAction.register(RegisterRequest(email: "nobody", password: "short"))
    print("refused here:", action.validationErrors.joined(separator: "; "))

    do {
        try await manager.register(
            email: email, password: password, firstName: "Ada", lastName: "Lovelace",
            username: email.split(separator: "@").first.map(String.init) ?? "ada")
        if case .verification(let address) = manager.pending { print("verify \(address) first; then log in") }
        print("registered:", manager.currentUser?.displayName ?? "waits for its verification")
        try await manager.logout()
    } catch AxiomError.actionError("already_exists", _) {
        print("registered before:", email)
    }

    try await manager.login(email: email, password: password, rememberMe: true, device: "user-service on Linux")
    print("logged in:", manager.isAuthenticated, manager.currentUser?.email ?? "")

    try await manager.updateProfile { request in
        request.profile = UserProfile(bio: "Notes on an engine", interests: ["engines"])
        request.preferences = UserPreferences(language: "en-GB", theme: "dark")
    }
    print("profile:", manager.currentUser?.profile?.bio ?? "")

    // The same session in another launch: the store has it, and nobody is asked for a password.
    let second = try AuthenticationManager(url: url, store: store)
    try await second.restore()
    print("restored:", second.currentUser?.displayName ?? "")

    for device in try await manager.getActiveDevices() { print("device:", device.name, device.os) }

    // And back, so that the program can run again.
    try await manager.changePassword(from: password, to: other, logoutOthers: true)
    try await manager.changePassword(from: other, to: password, logoutOthers: true)
    print("password changed, and back")

    do {
        try await manager.client.process(.getUsers(GetUsersRequest(limit: 10, sortField: "email", sortAscending: true)))
        print("users:", await manager.client.getCurrentState().totalCount)
    } catch {
        print("users: for administrators alone")
    }

    let setup = try await manager.setupTwoFactorAuth()
    print("second factor: scan \(setup.otpauthUri.prefix(15))…, and keep \(setup.recoveryCodes.count) recovery codes")

    try await manager.logout(logoutAllDevices: true)
    print("logged out:", !manager.isAuthenticated)
}
