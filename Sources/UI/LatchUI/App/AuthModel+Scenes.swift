// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

// MARK: - Windows

extension AuthModel {
    /// Opens the scene of a window; `SessionGate` calls it when it appears.
    ///
    /// The first window takes the model's initial scene, with the screens that are open in it.
    public func openScene() -> AuthScene {
        if isSceneVacant {
            isSceneVacant = false
            return scene
        }
        let opened = AuthScene(accounts, configuration)
        scenes.append(opened)
        scene = opened
        opened.join(self)
        switch isEntered {
        case true?: if let user { opened.enter(user) }
        case false?: opened.leave(to: start)
        case nil: break
        }
        return opened
    }

    /// Closes the scene of a window; `SessionGate` calls it when it disappears.
    ///
    /// A running sign-in continues until its response. The last scene stays unchanged for the next window.
    public func close(_ closed: AuthScene) {
        guard scenes.contains(where: { $0 === closed }) else { return }
        guard scenes.count > 1 else {
            isSceneVacant = true
            return
        }
        // Includes models whose canceled request may still get a response.
        let models = closed.models
        scenes.removeAll { $0 === closed }
        if scene === closed, let last = scenes.last { scene = last }
        closed.end()
        perform {
            for model in models { await model.settled() }
            // The scene handles the outcomes, so it must live until then.
            withExtendedLifetime(closed) {}
        }
    }

    /// Makes a window's scene the current one of this model when the user returns to the window; see ``activate()``.
    public func activate(_ scene: AuthScene) {
        if scenes.contains(where: { $0 === scene }) { self.scene = scene }
        activate()
    }
}

// MARK: - The scene that the user has used last

extension AuthModel {
    /// The menu of the signed-in user; nil while no user is signed in.
    public var menu: UserMenuModel? { scene.menu }

    /// The screens above the content or in place of it, the last one visible.
    public var screens: [AuthScreen] { scene.screens }

    /// The routes of ``screens``, to be stored; see ``reopen(_:)``.
    public var path: [AuthRoute] { scene.path }

    /// The visible screen; nil for the app's content, and while the app is locked.
    ///
    /// See ``AuthScene/screen``.
    public var screen: AuthScreen? { scene.screen }

    /// Whether a screen is above the content of a signed-in user, or of a guest; see ``AuthScene/isPresented``.
    public var isPresented: Bool {
        get { scene.isPresented }
        set { scene.isPresented = newValue }
    }

    /// Shows stored screens again, as far as the user can see them now; call it after ``restore()``.
    public func reopen(_ path: [AuthRoute]) { scene.reopen(path) }

    /// Shows the screens of the last run again, and returns the data to store for the next one; see
    /// ``AuthScene/exchangePath(_:)``.
    public func exchangePath(_ stored: Data) -> Data { scene.exchangePath(stored) }

    /// Shows a screen above the others; an open screen of the same kind closes.
    public func push(_ route: AuthRoute) { scene.push(route) }

    /// Leaves the visible screen; see ``AuthScene/pop()``.
    public func pop() { scene.pop() }

    /// Opens the screen of an email link, and returns whether the link is below ``linkBases``; see
    /// ``AuthScene/open(_:)``.
    @discardableResult
    public func open(_ url: URL) -> Bool { scene.open(url) }
}
