//! Every `toml` block is a config that gephost accepts, and every `json` block is JSON.

use gephost_core::config::Config;
use gephost_core::user_config::UserConfig;

use super::documents;

/// The first line of a block that is the user's own config.
const USERS: &str = "# ~/.config/gephost/config.toml\n";

#[test]
fn every_config_of_the_documents_is_accepted() {
    let mut read = 0;
    for document in documents() {
        for block in document.blocks() {
            let wrong = match block.info.as_str() {
                "toml" if block.text.starts_with(USERS) => {
                    UserConfig::from_toml(&block.text).err().map(|error| error.to_string())
                }
                "toml" => Config::from_toml(&block.text).err().map(|error| error.to_string()),
                "json" => serde_json::from_str::<serde_json::Value>(&block.text).err().map(|error| error.to_string()),
                _ => continue,
            };
            assert_eq!(wrong, None, "{} shows:\n{}", document.path, block.text);
            read += 1;
        }
    }
    assert!(read >= 10, "only {read} configs were found");
}
