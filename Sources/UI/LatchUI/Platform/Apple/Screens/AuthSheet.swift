// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchAccounts
import LatchOAuth
import SwiftUI

/// The scene of a window: screens above the content, links that open the app, the app's lock, and the connection
/// banner.
struct AuthSheet: ViewModifier {
    private let auth: AuthModel?
    /// The scene while the window is open.
    @State private var scene: AuthScene?

    init(_ auth: AuthModel?) { self.auth = auth }

    func body(content: Content) -> some View {
        if let auth {
            ZStack {
                // An empty view would not call `onAppear`.
                Color.clear.frame(width: 0, height: 0)
                if let scene { content.modifier(AuthSceneSheet(auth: auth, scene: scene)) }
            }
            .onAppear { if scene == nil { scene = auth.openScene() } }
            .onDisappear {
                if let scene { auth.close(scene) }
                scene = nil
            }
        } else {
            content
        }
    }
}

/// The screens of a scene above its content.
private struct AuthSceneSheet: ViewModifier {
    let auth: AuthModel
    let scene: AuthScene
    /// The screens before the system ended the app.
    @SceneStorage("authPath") private var storedPath = Data()
    @Environment(\.scenePhase) private var phase
    /// Whether the window is the key window of a Mac; true on other systems.
    @Environment(\.appearsActive) private var isKey
    @State private var window: PresentationAnchor?

    func body(content: Content) -> some View {
        content
            .offlineBanner(auth.connection)
            .lockedSheet(isPresented: isPresented) { AuthView(auth).environment(\.authScene, scene) }
            .environment(\.authScene, scene)
            .onWindow {
                window = $0
                adoptWindow()
            }
            .modifier(AppLockView(model: auth.lock, isNeeded: auth.isSignedIn, scene: scene.id))
            .onOpenURL { scene.open($0) }
            .onChange(of: scene.path, initial: true) { storedPath = scene.exchangePath(storedPath) }
            .onChange(of: auth.gate.phase) { storedPath = scene.exchangePath(storedPath) }
            .onChange(of: phase) { if phase == .active { activate() } }
            .onChange(of: isKey) { if isKey { activate() } }
    }

    private func activate() {
        adoptWindow()
        auth.activate(scene)
    }

    /// Shows the dialogs of passkeys above this window.
    private func adoptWindow() { if let window { (auth.passkeys as? PlatformPasskeys)?.adopt(window: window) } }

    private var isPresented: Binding<Bool> {
        let scene = scene
        return Binding(get: { @MainActor in scene.isPresented }, set: { @MainActor in scene.isPresented = $0 })
    }
}
#endif
