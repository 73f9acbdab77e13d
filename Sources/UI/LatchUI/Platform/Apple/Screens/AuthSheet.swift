// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchAccounts
import SwiftUI

/// The screens of a model above the content of a signed-in user, the links that open the app, its lock, and the banner of the
/// connection.
struct AuthSheet: ViewModifier {
    private let auth: AuthModel?
    /// The screens before the system ended the app.
    @SceneStorage("authPath") private var storedPath = Data()
    @Environment(\.scenePhase) private var phase

    init(_ auth: AuthModel?) { self.auth = auth }

    func body(content: Content) -> some View {
        if let auth {
            content
                .offlineBanner(auth.connection)
                .lockedSheet(isPresented: isPresented(auth)) { AuthView(auth) }
                .onWindow { (auth.passkeys as? PlatformPasskeys)?.adopt(window: $0) }
                .modifier(AppLockView(model: auth.lock, isNeeded: auth.isSignedIn))
                .onOpenURL { auth.open($0) }
                .onChange(of: auth.path) { storedPath = auth.exchangePath(storedPath) }
                .onChange(of: auth.gate.phase) { storedPath = auth.exchangePath(storedPath) }
                .onChange(of: phase) { if phase == .active { auth.activate() } }
        } else {
            content
        }
    }

    private func isPresented(_ auth: AuthModel) -> Binding<Bool> {
        Binding(get: { @MainActor in auth.isPresented }, set: { @MainActor in auth.isPresented = $0 })
    }
}
#endif
