// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchSignIn

/// The script of the pages that sign in with a passkey or create one, which shows their button if the browser supports
/// passkeys.
///
/// It also offers them in the field of the user name (WebAuthn Level 3 §5.1.7, conditional mediation). The options of a
/// new passkey are an attribute of the form's field. It is a separate file, so that the policy of the
/// pages forbids every other script.
enum PasskeyScript {
    /// The path of the script.
    static let path = "/passkey.js"
    /// The name of the form's field for the browser's response.
    static let field = "credential"

    /// The response with the script.
    static var response: HTTPResponse { .script(text) }

    /// The script.
    ///
    /// Only one dialog is open at a time: the button is disabled in the meantime. A failure shows the page's text,
    /// unless the user has closed the dialog. The user can still sign in with the password. A challenge is valid for
    /// five minutes, so a waiting offer gets a new one before that. A response that a browser restores with the form
    /// would be stale.
    private static let text = #"""
        "use strict";
        (() => {
            const base = document.currentScript.src;
            const button = document.getElementById("passkey");
            const field = document.getElementById("credential");
            const problem = document.getElementById("passkey-problem");
            if (!button || !field || !problem || !window.PublicKeyCredential || !navigator.credentials) return;

            const decode = (text) =>
                Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
            const encode = (bytes) =>
                btoa(String.fromCharCode(...new Uint8Array(bytes)))
                    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
            let waiting = null;

            const signIn = async (mediation) => {
                if (waiting) waiting.abort();
                const { signal } = (waiting = new AbortController());
                const response = await fetch(new URL("api/auth/passkeys/sign-in/options", base), {
                    method: "POST", headers: { "Content-Type": "application/json" }, body: "{}", signal,
                });
                if (!response.ok) throw new Error(response.statusText);
                const { publicKey } = await response.json();
                publicKey.challenge = decode(publicKey.challenge);
                const found = await navigator.credentials.get({ publicKey, signal, ...mediation });
                const { clientDataJSON, authenticatorData, signature, userHandle } = found.response;
                field.value = JSON.stringify({
                    id: found.id, rawId: encode(found.rawId), type: found.type,
                    response: {
                        clientDataJSON: encode(clientDataJSON), authenticatorData: encode(authenticatorData),
                        signature: encode(signature), userHandle: userHandle ? encode(userHandle) : null,
                    },
                    clientExtensionResults: found.getClientExtensionResults(),
                });
                button.form.submit();
            };

            const create = async (options) => {
                const publicKey = JSON.parse(options);
                publicKey.challenge = decode(publicKey.challenge);
                publicKey.user.id = decode(publicKey.user.id);
                for (const known of publicKey.excludeCredentials) known.id = decode(known.id);
                const made = await navigator.credentials.create({ publicKey });
                field.value = JSON.stringify({
                    id: made.id, rawId: encode(made.rawId), type: made.type,
                    response: {
                        clientDataJSON: encode(made.response.clientDataJSON),
                        attestationObject: encode(made.response.attestationObject),
                        transports: made.response.getTransports ? made.response.getTransports() : [],
                    },
                    clientExtensionResults: made.getClientExtensionResults(),
                });
                button.form.submit();
            };

            const options = field.dataset.options;
            const offer = () => signIn({ mediation: "conditional" }).catch(() => {});
            let timer = null;
            const begin = async () => {
                const has = PublicKeyCredential.isConditionalMediationAvailable;
                if (options || !has || !(await has.call(PublicKeyCredential))) return;
                timer = setInterval(offer, 240000);
                offer();
            };
            const enable = () => {
                button.disabled = false;
                field.value = "";
            };
            button.addEventListener("click", () => {
                clearInterval(timer);
                button.disabled = true;
                problem.hidden = true;
                (options ? create(options) : signIn({})).catch((error) => {
                    enable();
                    problem.hidden = !options && error.name === "NotAllowedError";
                    begin();
                });
            });
            window.addEventListener("pageshow", enable);
            button.hidden = false;
            begin();
        })();

        """#
}

extension HTTPResponse {
    /// Returns the response with a script of the server's pages.
    static func script(_ text: String) -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            fields: [
                .contentType: "text/javascript; charset=utf-8", .cacheControl: "public, max-age=300",
                "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
            ],
            body: HTTPBody(text))
    }
}
