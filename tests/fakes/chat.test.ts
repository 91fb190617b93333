import { chatContract, createInbox } from '../contracts/chat.ts';
import { createFakeChat } from './chat.ts';

chatContract('the fake', async () => {
  const fake = createFakeChat();
  const inbox = createInbox();
  await fake.chat.start(inbox);
  return Object.assign(fake, {
    inbox,
    restart: () => fake.reconnect().start(inbox),
    close: () => fake.chat.stop(),
  });
});
